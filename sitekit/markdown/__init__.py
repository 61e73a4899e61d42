"""Extensions of Markdown: cells, formulas, Chinese line breaks, and the numbers in prose."""
