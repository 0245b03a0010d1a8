import { useId, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { tabClass, tabCountClass, tabListClass } from './tab-style'

export interface Tab {
  id: string
  label: string
  count?: number
  content: ReactNode
}

interface TabsProps {
  label: string
  tabs: readonly Tab[]
  value?: string
  defaultValue?: string
  onChange?: (id: string) => void
  className?: string
}

const steps: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

/** Only the selected tab's content is mounted. Our own component, because the login page must stay small. */
export function Tabs({ label, tabs, value, defaultValue, onChange, className }: TabsProps) {
  const [own, setOwn] = useState(defaultValue)
  const id = useId()
  const shown = tabs.find((tab) => tab.id === (value ?? own)) ?? tabs[0]
  if (!shown) return null

  const choose = (tab: Tab) => {
    setOwn(tab.id)
    onChange?.(tab.id)
  }
  const move = (event: KeyboardEvent) => {
    const next = tabs[steps[event.key]?.(tabs.indexOf(shown), tabs.length) ?? -1]
    if (!next) return
    event.preventDefault()
    choose(next)
    document.getElementById(`${id}tab${next.id}`)?.focus()
  }

  return (
    <div className={className}>
      <div role="tablist" aria-label={label} className={tabListClass}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}tab${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab === shown}
            aria-controls={tab === shown ? `${id}panel` : undefined}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => choose(tab)}
            onKeyDown={move}
            className={tabClass(tab === shown)}
          >
            {tab.label}
            {tab.count !== undefined && <span className={tabCountClass}>{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}tab${shown.id}`} className="pt-4">
        {shown.content}
      </div>
    </div>
  )
}
