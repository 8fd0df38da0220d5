// Applies the chosen theme before the first paint.
try {
  const chosen = JSON.parse(localStorage.getItem("theme"));
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* the system's theme */ }
