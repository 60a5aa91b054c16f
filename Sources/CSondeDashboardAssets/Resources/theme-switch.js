// The switch "Theme": dark when it is on. Until the reader chooses, the browser's preference counts.

const preference = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark now. */
export const isDark = () => (document.documentElement.dataset.theme ?? (preference.matches ? "dark" : "light")) === "dark";

/**
 * Makes a button the switch.
 * @param {HTMLElement} control
 */
export function startThemeSwitch(control) {
  const show = () => {
    control.setAttribute("aria-checked", `${isDark()}`);
    document.dispatchEvent(new Event("sonde-theme"));
  };
  control.addEventListener("click", () => {
    const chosen = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem("sonde.theme", chosen);
    show();
  });
  preference.addEventListener("change", show);
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== "sonde.theme") return;
    if (newValue) document.documentElement.dataset.theme = newValue;
    show();
  });
  show();
}
