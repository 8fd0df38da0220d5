// Before the first paint: the theme the person chose.
try {
  const chosen = JSON.parse(localStorage.getItem("theme"));
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* the system's theme */ }
