import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { LogLines } from './log-lines'

it('colors and labels a line by its level, whatever its text', () => {
  const html = renderToStaticMarkup(
    <LogLines
      label="Deploy log"
      lines={[
        { seq: 1, time: 0, level: 'info', text: 'warn: Failed: only words' },
        { seq: 2, time: 0, level: 'warning', text: 'A disk is slow' },
        { seq: 3, time: 0, level: 'error', text: 'No quota' },
      ]}
    />,
  )
  const [info = '', warning = '', error = ''] = html.split('<time').slice(1)
  expect(info).not.toMatch(/text-(amber|red)\b|Warning|Error/)
  expect(warning).toMatch(/text-amber\b.*Warning: .*A disk is slow/)
  expect(error).toMatch(/text-red\b.*Error: .*No quota/)
})
