import { Figure } from "./figure.js";
import * as model from "./sort-claims.model.js";

class SortClaims extends Figure {
  model = model;
  click(event) {
    const act = this.pressed(event);
    const claim = event.target.closest("a[href]");
    if (act) this.set({ show: this.state.show === act ? "all" : act });
    else if (claim?.classList.contains("gone")) {
      this.state.show = "all"; // at once, so that there is something to go to
      this.draw();
    }
  }
  draw() {
    super.draw();
    const { show } = this.state;
    for (const card of document.querySelectorAll(".claim")) card.hidden = show !== "all" && !card.classList.contains(show);
  }
}
customElements.define("sort-claims", SortClaims);
