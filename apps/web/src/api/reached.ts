import { createStore, useStore } from '../store'

const reached = createStore(true)

/** Whether the last call got an answer, whatever it said. */
export const useReached = (): boolean => useStore(reached)
export const noteReached = (is: boolean): void => reached.set(is)
