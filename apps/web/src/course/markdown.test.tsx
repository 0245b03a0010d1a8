// @vitest-environment happy-dom
import type { CourseFile } from '@flotilla/contract/courses/entity'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { codeToRun } from './code-to-run'
import { CourseContext } from './course-context'
import { Markdown, MarkdownText } from './markdown'
import { parseMarkdown, topHeadingOf } from './parse-markdown'

const files: CourseFile[] = [
  { name: 'plot 1.png', size: 3, picture: 'image/png' },
  { name: 'data.csv', size: 3, picture: null },
  { name: 'drawing.svg', size: 3, picture: null },
]
function drawn(text: string): HTMLElement {
  const page = document.createElement('div')
  page.innerHTML = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <CourseContext value={{ id: 'c1', files, run: null, runBlockedReason: 'No terminal' }}>
        <MarkdownText text={text} />
      </CourseContext>
    </QueryClientProvider>,
  )
  return page
}
const shown = (text: string) => drawn(text).innerHTML
const one = (text: string, selector: string) => drawn(text).querySelector(selector)

describe('Markdown', () => {
  it('renders headings below those of the page, lists, tables, quotes and emphasis', () => {
    expect(shown('# Title')).toBe('<h3>Title</h3>')
    expect(shown('A *b* **c** `d`')).toBe('<p>A <em>b</em> <strong>c</strong> <code>d</code></p>')
    expect(shown('3. a\n4. b')).toBe('<ol start="3"><li>a</li><li>b</li></ol>')
    expect(shown('> said')).toBe('<blockquote><p>said</p></blockquote>')
    expect(one('| a | b |\n|---|--:|\n| 1 | 2 |', 'td:last-child')?.outerHTML).toBe(
      '<td data-align="right">2</td>',
    )
  })

  it('starts at the same heading level, whatever level the author starts at', () => {
    const root = parseMarkdown('## Two\n\n### Three\n\n###### Six')
    const levels = renderToStaticMarkup(<Markdown root={root} topHeading={topHeadingOf([root])} />)
    expect(levels).toBe('<h3>Two</h3><h4>Three</h4><h6>Six</h6>')
  })

  it.each(['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'])('renders the callout %s', (name) => {
    const page = drawn(`> [!${name}]\n> Mind the **queue**.`)
    expect(page.querySelector('blockquote')).toBeNull()
    expect(page.textContent.toUpperCase()).toBe(`${name}MIND THE QUEUE.`)
    expect(page.querySelector('strong')?.textContent).toBe('queue')
  })
  it('renders other quotes as quotes', () => {
    expect(one('> [!EVIL]\n> x', 'blockquote')).not.toBeNull()
    expect(one('> [!constructor]\n> x', 'blockquote')).not.toBeNull()
  })

  it('offers to copy code, and to run shell code', () => {
    const buttons = (text: string) =>
      [...drawn(text).querySelectorAll('button')].map((button) => button.textContent)
    expect(buttons('```bash\nsinfo\n```')).toEqual(['Run in terminal', 'Copy'])
    expect(buttons('```python\nprint()\n```')).toEqual(['Copy'])
    expect(one('```"onload="x\n<b>&amp;\n```', 'pre')?.textContent).toBe('<b>&amp;')
  })
  it('types the commands of a session without its prompts and output', () => {
    expect(codeToRun('$ ls\na b\n# reboot', 'console')).toBe('ls\nreboot')
    expect(codeToRun('only output', 'console')).toBeNull()
    expect(codeToRun('a \\\n b', 'sh')).toBe('a \\\n b')
  })
})

describe('hostile Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    'a <a href="javascript:alert(1)">b</a>',
    '<style>*{display:none}</style>',
    '<!-- --><form action="https://evil.example"><input name=password></form>',
    '<math><mtext><img src=x onerror=alert(1)></mtext></math>',
  ])('shows %s as text', (html) => {
    const page = drawn(html)
    expect(page.textContent).toContain('<')
    expect(page.querySelectorAll(':not(p)')).toHaveLength(0)
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#10;script:alert(1))',
    '[x](&#x6A;avascript:alert(1))',
    '[x](<javascript:alert(1)>)',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:x)',
    '[x](blob:https://example.org/1)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example)',
    '[x](/settings)',
    '[x][y]\n\n[y]: javascript:alert(1)',
    '<javascript:alert(1)>',
  ])('does not follow %s', (link) => {
    expect(one(link, 'a')).toBeNull()
  })

  it('sends no referrer to linked sites', () => {
    expect(one('[x](https://example.org/?a=1&b="2")', 'a')?.getAttribute('rel')).toBe('noreferrer')
    expect(one('[x](mailto:a@example.org)', 'a')?.getAttribute('href')).toBe('mailto:a@example.org')
  })

  it.each([
    '![x](https://evil.example/pixel.png)',
    '![x](data:image/svg+xml,<svg/>)',
    '![x](files/drawing.svg)',
    '![x](../../api/users)',
    '![x][y]\n\n[y]: https://evil.example/pixel.png',
  ])('does not load %s', (picture) => {
    const page = drawn(picture)
    expect(page.querySelector('img, [aria-busy]')).toBeNull()
    expect(page.textContent).toContain('Image not shown: “x”')
  })
  it('shows pictures of the course and offers its other files for download', () => {
    expect(one('![A plot](files/plot%201.png)', '[aria-busy]')).not.toBeNull()
    expect(one('[data](./files/data.csv)', 'button')?.textContent).toBe('data')
    expect(one('[drawing](drawing.svg)', 'button')?.textContent).toBe('drawing')
  })

  it('survives deep nesting and damaged text', () => {
    expect(shown('> '.repeat(300) + 'deep').length).toBeLessThan(20_000)
    expect(shown('*'.repeat(300) + 'a' + '*'.repeat(300)).length).toBeLessThan(200_000)
    expect(shown('!['.repeat(300)).length).toBeLessThan(20_000)
    expect(drawn('\u0000 &#0; %zz [x](%E0%A4%A)').textContent).toContain('x')
  })
})
