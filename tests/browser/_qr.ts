/**
 * QR codes in pages, read as a camera does: from their pixels.
 *
 * @module
 */

import type { Page } from "./_playwright.ts";
import { JSQR } from "./versions.ts";

interface Pixels {
  readonly data: string;
  readonly size: number;
}

/** What is read of the pixels, as RGBA. */
type ReadQr = (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null;

/** Reads the QR code that an image of a page shows. @throws {Error} If it shows none. */
export async function readQr(page: Page, selector: string): Promise<string> {
  const { data, size } = await page.evaluate<Pixels>(`(async () => {
    const image = document.querySelector(${JSON.stringify(selector)});
    await image.decode();
    const size = 440;
    const canvas = new OffscreenCanvas(size, size);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, size, size);
    const { buffer } = context.getImageData(0, 0, size, size).data;
    return { data: new Uint8Array(buffer).toBase64(), size };
  })()`);
  const { default: module } = await import(JSQR);
  const read: ReadQr = module.default ?? module;
  const code = read(new Uint8ClampedArray(Uint8Array.fromBase64(data)), size, size);
  if (code === null) throw new Error("Cannot read the QR code: there is none");
  return code.data;
}
