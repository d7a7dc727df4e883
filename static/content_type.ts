/**
 * Media types of files by extension.
 *
 * @module
 */

const TYPES: ReadonlyMap<string, string> = new Map([
  ["7z", "application/x-7z-compressed"],
  ["aac", "audio/aac"],
  ["apng", "image/apng"],
  ["atom", "application/atom+xml"],
  ["avif", "image/avif"],
  ["bin", "application/octet-stream"],
  ["bmp", "image/bmp"],
  ["cjs", "text/javascript"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["doc", "application/msword"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["eot", "application/vnd.ms-fontobject"],
  ["epub", "application/epub+zip"],
  ["flac", "audio/flac"],
  ["geojson", "application/geo+json"],
  ["gif", "image/gif"],
  ["glb", "model/gltf-binary"],
  ["gltf", "model/gltf+json"],
  ["gz", "application/gzip"],
  ["heic", "image/heic"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["ico", "image/vnd.microsoft.icon"],
  ["ics", "text/calendar"],
  ["jfif", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["jsonld", "application/ld+json"],
  ["jxl", "image/jxl"],
  ["log", "text/plain"],
  ["m3u8", "application/vnd.apple.mpegurl"],
  ["m4a", "audio/mp4"],
  ["m4v", "video/mp4"],
  ["map", "application/json"],
  ["markdown", "text/markdown"],
  ["md", "text/markdown"],
  ["mjs", "text/javascript"],
  ["mov", "video/quicktime"],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["mpd", "application/dash+xml"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpeg"],
  ["odp", "application/vnd.oasis.opendocument.presentation"],
  ["ods", "application/vnd.oasis.opendocument.spreadsheet"],
  ["odt", "application/vnd.oasis.opendocument.text"],
  ["oga", "audio/ogg"],
  ["ogg", "audio/ogg"],
  ["ogv", "video/ogg"],
  ["opus", "audio/ogg"],
  ["otf", "font/otf"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["ppt", "application/vnd.ms-powerpoint"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["rss", "application/rss+xml"],
  ["rtf", "application/rtf"],
  ["svg", "image/svg+xml"],
  ["tar", "application/x-tar"],
  ["tif", "image/tiff"],
  ["tiff", "image/tiff"],
  ["ttf", "font/ttf"],
  ["txt", "text/plain"],
  ["vtt", "text/vtt"],
  ["wasm", "application/wasm"],
  ["wav", "audio/wav"],
  ["weba", "audio/webm"],
  ["webm", "video/webm"],
  ["webmanifest", "application/manifest+json"],
  ["webp", "image/webp"],
  ["woff", "font/woff"],
  ["woff2", "font/woff2"],
  ["xhtml", "application/xhtml+xml"],
  ["xls", "application/vnd.ms-excel"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["zip", "application/zip"],
]);

const UNKNOWN = "application/octet-stream";

/**
 * The media type of a file. Text is declared as UTF-8; an unknown extension is `application/octet-stream`, which browsers
 * neither run nor display.
 *
 * @param name Name, or path with `/`.
 */
export function contentTypeOf(name: string): string {
  const dot = name.lastIndexOf(".");
  const type = dot === -1 ? undefined : TYPES.get(name.slice(dot + 1).toLowerCase());
  if (type === undefined) return UNKNOWN;
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}
