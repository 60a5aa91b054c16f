// The conditions that hold for what is shown, each with a button that takes it away.

import { element } from "./elements.js";
import { button } from "./controls.js";
import { readable } from "./record.js";

export class ConditionBar {
  /** @param {(condition: string) => void} remove */
  constructor(remove) {
    this.remove = remove;
    this.element = element("div", { class: "conditions" });
  }

  /** @param {string[]} conditions */
  show(conditions) {
    this.element.replaceChildren(...conditions.map((condition) => {
      const words = readable(condition);
      const made = button(words, () => this.remove(condition), { icon: "clear", class: "condition" });
      made.setAttribute("aria-label", `Remove filter ${words}`);
      return made;
    }));
  }
}
