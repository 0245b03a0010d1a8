import { useEffect, useState, type ReactNode } from 'react'
import { useConfig } from '../api/config'
import { sanitizeHtml } from './sanitize-html'

const started = new Map<string, Promise<ReactNode>>()
/** Already loaded content is drawn immediately, together with the page. */
const loaded = new Map<string, ReactNode>()

/** Fetched once, however many guest pages are visited. If the file is missing, the login page has no intro. */
export function loadIntro(file: string): Promise<ReactNode> {
  const running = started.get(file)
  if (running) return running
  const loading = fetch(`/assets/${encodeURIComponent(file)}`)
    .then(async (reply) => {
      const content = reply.ok ? sanitizeHtml(await reply.text()) : null
      loaded.set(file, content)
      return content
    })
    .catch(() => {
      // The next page tries again: the network may be back by then.
      started.delete(file)
      return null
    })
  started.set(file, loading)
  return loading
}

/** Operators write plain HTML; the styling is ours. */
const introClass =
  '[&_h2]:mb-3 [&_h2]:text-[26px] [&_h2]:leading-[34px] [&_h2]:font-semibold [&_h2]:text-balance ' +
  '[&_h3]:mt-6 [&_h3]:mb-1 [&_h3]:text-section [&_h3]:font-semibold [&_h4]:mt-4 [&_h4]:font-semibold ' +
  '[&_p]:mt-2 [&_ul]:mt-2 [&_ul]:list-disc [&_ul]:pl-5 [&_ol]:mt-2 [&_ol]:list-decimal [&_ol]:pl-5 [&_li]:mt-1 ' +
  '[&_a]:text-accent [&_a]:underline [&_code]:font-mono [&_img]:my-3 [&_img]:max-w-full [&_dd]:pl-4'

/** The operator's text about the site. */
export function Intro() {
  const { intro } = useConfig()
  const [content, setContent] = useState<ReactNode>(() => loaded.get(intro))
  useEffect(() => {
    let wanted = true
    void loadIntro(intro).then((text) => {
      if (wanted) setContent(text)
    })
    return () => {
      wanted = false
    }
  }, [intro])
  return <IntroText>{content}</IntroText>
}

export function IntroText({ children }: { children: ReactNode }) {
  return (
    <div
      className={`max-w-[56ch] text-form text-ink-2 wrap-anywhere [&_:is(h2,h3,h4,strong)]:text-ink-1 ${introClass}`}
    >
      {children}
    </div>
  )
}
