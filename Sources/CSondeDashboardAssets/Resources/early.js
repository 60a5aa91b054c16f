// Before anything is drawn: light or dark, where the reader has chosen.
{
  const chosen = localStorage.getItem("sonde.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
