// The conditions that hold for what is shown, each with a button that takes it away.

import { element } from "./elements.js";
import { button } from "./controls.js";

export class ConditionBar {
  /** @param {(condition: string) => void} remove */
  constructor(remove) {
    this.remove = remove;
    this.element = element("div", { class: "conditions" });
  }

  /** @param {string[]} conditions */
  show(conditions) {
    this.element.replaceChildren(...conditions.map((condition) => {
      const made = button(condition, () => this.remove(condition), { icon: "clear", class: "condition" });
      made.setAttribute("aria-label", `Remove filter ${condition}`);
      return made;
    }));
  }
}
