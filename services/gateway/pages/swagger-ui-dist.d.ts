declare module 'swagger-ui-dist/absolute-path.js' {
  /** The folder of the package. Its main file would load the whole of Swagger UI. */
  function swaggerUiFolder(): string;
  export = swaggerUiFolder;
}
