import { useEffect, useRef, useState } from 'react'
import { readDropped } from './dropped'
import type { Dropped } from './dropped'

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false

/** Accepts files dropped anywhere in the window. Returns whether files are being dragged over it. */
export function useDrop(onDrop: (dropped: Dropped) => void): boolean {
  const [over, setOver] = useState(false)
  const take = useRef(onDrop)
  useEffect(() => {
    take.current = onDrop
  })
  useEffect(() => {
    // Counts the elements that the pointer has entered minus those it has left. At zero, it has left the window.
    let depth = 0
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth += 1
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth -= 1
      if (depth <= 0) setOver(false)
    }
    const allowDrop = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setOver(false)
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      void readDropped(event.dataTransfer).then((dropped) => take.current(dropped))
    }
    addEventListener('dragenter', enter)
    addEventListener('dragleave', leave)
    addEventListener('dragover', allowDrop)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragenter', enter)
      removeEventListener('dragleave', leave)
      removeEventListener('dragover', allowDrop)
      removeEventListener('drop', drop)
    }
  }, [])
  return over
}
