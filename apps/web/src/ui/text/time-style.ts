import { createContext, useContext } from 'react'

/** How the user reads times: relative or absolute. */
export const TimeStyle = createContext<'relative' | 'absolute'>('relative')

export const useTimeStyle = () => useContext(TimeStyle)
