import type { CallOptions } from '@flotilla/client/request'
import type { Endpoint, Sent } from '@flotilla/contract/endpoint'
import { send } from './call'

/** Saves a file reply under the given name. */
export async function download<E extends Endpoint>(
  endpoint: E,
  input: Sent<E>,
  filename: string,
  options: CallOptions = {},
): Promise<void> {
  const response = await send(endpoint, input, options)
  saveFile(await response.blob(), filename)
}

/** Makes the browser save a file. */
export function saveFile(content: Blob, filename: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  // The browser reads the URL after this task: if it were revoked now, the download would be empty.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
