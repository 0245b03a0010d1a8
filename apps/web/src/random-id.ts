/** A unique ID for a submission or a stream. Also works without TLS, where randomUUID does not exist. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
