import { createStore, useStore } from '../store'

const reached = createStore(true)

/** Whether the last call got a response, of any kind. */
export const useReached = (): boolean => useStore(reached)
export const setReached = (is: boolean): void => reached.set(is)
