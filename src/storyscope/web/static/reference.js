// The API reference: the server's OpenAPI document in Swagger UI.
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
  // Do not send the document to an online validator.
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  // The server requires this header for every request that changes something.
  requestInterceptor: (request) => {
    request.headers["X-Storyscope"] = "1";
    return request;
  },
});
