"""What builds the site: lessons are executed once, then shown on pages of every language and in notebooks."""
