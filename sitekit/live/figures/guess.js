// "Guess first": the answer is covered until the reader has chosen, or asked to see it. Without this script all is open.
const { show } = document.currentScript.dataset;

for (const box of document.querySelectorAll(".admonition.guess")) {
  const [, list, ...rest] = box.children; // the title, the choices, the answer
  const answer = document.createElement("div");
  answer.className = "answer covered";
  answer.inert = true;
  answer.setAttribute("aria-live", "polite");
  answer.append(...rest);
  const choices = document.createElement("div");
  choices.className = "choices";
  const button = (className, ...inside) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className });
    made.append(...inside);
    made.addEventListener("click", () => {
      if (!answer.inert) return;
      answer.inert = false;
      answer.classList.remove("covered");
      for (const other of choices.children) other.setAttribute("aria-disabled", "true");
      if (className !== "plain") made.setAttribute("aria-pressed", "true");
    });
    return made;
  };
  choices.append(...[...list.children].map((item) => button("choice-of", ...item.childNodes)), button("plain", show));
  list.replaceWith(choices);
  box.append(answer);
}
