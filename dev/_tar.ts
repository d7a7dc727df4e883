/**
 * Packages as npm has them: gzip-compressed tar archives, POSIX.1-1988 `ustar`, of plain files.
 *
 * @module
 */

/** A file of an archive. */
export interface TarFile {
  /** Path with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether it can be run as a program. @default {false} */
  readonly executable?: boolean;
}

const BLOCK = 512;

/** Fields of a header: where they start, and how long they are. */
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const SIZE = [124, 12] as const;
const TIME = [136, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE = [156, 1] as const;
const MAGIC = [257, 8] as const;
const PREFIX = [345, 155] as const;

/** When every file was changed, in seconds: what `npm pack` writes, 1985-10-26. */
const TIME_OF_ALL = 499_162_500;

/**
 * Makes an archive. Files of the same paths and bytes make an archive of the same bytes, in whichever order they are given.
 *
 * @throws {RangeError} If a path is longer than the format allows.
 */
export async function writeTarball(
  files: readonly TarFile[],
): Promise<Uint8Array<ArrayBuffer>> {
  const sorted = files.toSorted((a, b) => a.path < b.path ? -1 : 1);
  const parts = sorted.flatMap((file) => [headerOf(file), padded(file.bytes)]);
  const archive = new Blob([...parts, new Uint8Array(2 * BLOCK)]).stream();
  return await collect(archive.pipeThrough(new CompressionStream("gzip")));
}

/** Reads an archive. @throws {TypeError} If it has anything but plain files and folders. */
export async function readTarball(bytes: Uint8Array<ArrayBuffer>): Promise<TarFile[]> {
  const archive = await collect(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
  );
  const files: TarFile[] = [];
  for (let at = 0; at < archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + BLOCK);
    const size = parseInt(textOf(header, SIZE), 8);
    const type = textOf(header, TYPE);
    const path = [textOf(header, PREFIX), textOf(header, NAME)].filter(Boolean).join("/");
    at += BLOCK;
    if (type === "0" || type === "") {
      const executable = (parseInt(textOf(header, MODE), 8) & 0o100) !== 0;
      files.push({ path, bytes: archive.slice(at, at + size), executable });
    } else if (type !== "5") {
      throw new TypeError(`Cannot read an archive: ${path} has the type ${type}`);
    }
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function headerOf({ path, bytes, executable = false }: TarFile): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const [prefix, name] = splitPath(path);
  const write = ([start]: readonly [number, number], text: string) =>
    header.set(new TextEncoder().encode(text), start);
  write(NAME, name);
  write(MODE, executable ? "0000755\0" : "0000644\0");
  write([108, 8], "0000000\0");
  write([116, 8], "0000000\0");
  write(SIZE, octal(bytes.length, 11));
  write(TIME, octal(TIME_OF_ALL, 11));
  write(CHECKSUM, " ".repeat(8));
  write(TYPE, "0");
  write(MAGIC, "ustar\x0000");
  write(PREFIX, prefix);
  write(CHECKSUM, `${octal(header.reduce((sum, byte) => sum + byte, 0), 6)} `);
  return header;
}

/** A path as the two parts that a header has for it. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (path.length <= NAME[1]) return ["", path];
  const at = path.lastIndexOf("/", PREFIX[1]);
  if (at < 1 || path.length - at - 1 > NAME[1]) {
    throw new RangeError(`Cannot write an archive: ${path} is too long`);
  }
  return [path.slice(0, at), path.slice(at + 1)];
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, "0")}\0`;
}

function padded(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  whole.set(bytes);
  return whole;
}

function textOf(header: Uint8Array, [start, length]: readonly [number, number]): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end)).trim();
}

async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
