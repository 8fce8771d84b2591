/** The error of an input that cannot be read: by its file, its packing or its content. */

/** An input that cannot be read to its end; the message says why. */
export class InputError extends Error {
  override readonly name = 'InputError'
}
