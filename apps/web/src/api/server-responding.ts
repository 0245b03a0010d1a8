import { createStore, useStore } from '../store'

const serverResponds = createStore(true)

/** Whether the last call got a response, of any kind. */
export const useServerResponds = (): boolean => useStore(serverResponds)
export const setServerResponds = (is: boolean): void => serverResponds.set(is)
