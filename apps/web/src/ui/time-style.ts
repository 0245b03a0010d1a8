import { createContext, useContext } from 'react'

/** How this person reads times: how long ago, or which day and hour. */
export const TimeStyle = createContext<'relative' | 'absolute'>('relative')

export const useTimeStyle = () => useContext(TimeStyle)
