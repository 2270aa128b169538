// node:url: the package's folder is a path on the server.
export const pathToFileURL = (path) => new URL(path, location.href);
