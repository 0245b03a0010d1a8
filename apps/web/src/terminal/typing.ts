import { createStore } from '../store'

/** Text to type into the terminal of a cluster, which may still have to open. */
export const typing = createStore<{ clusterId: string; text: string } | null>(null)

/** Types text into the terminal of a cluster as a person would, with Enter at the end of each line. */
export function typeInto(clusterId: string, text: string): void {
  typing.set({ clusterId, text: `${text.trimEnd().replace(/\r\n|\r|\n/g, '\r')}\r` })
}
