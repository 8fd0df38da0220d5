// The API reference: the server's own description, shown by Swagger UI.
const dark = matchMedia("(prefers-color-scheme: dark)");

function followTheme() {
  const { theme } = document.documentElement.dataset;
  document.documentElement.classList.toggle("dark-mode", theme ? theme === "dark" : dark.matches);
}

dark.addEventListener("change", followTheme);
followTheme();
globalThis.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  filter: true,
  // Nothing is sent to a validator elsewhere.
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  // The server wants this header for every change.
  requestInterceptor: (request) => {
    request.headers["X-Storyscope"] = "1";
    return request;
  },
});
