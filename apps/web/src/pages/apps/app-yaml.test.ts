import { AppInput } from '@flotilla/contract/apps/apps'
import { expect, it } from 'vitest'
import { readApp, yamlOf } from './app-yaml'

const app = AppInput.parse({
  name: 'Notebook',
  script: 'exec notebook --port "$PORT"\n',
  fields: [{ name: 'size', label: 'Size', kind: 'choice', options: ['small', 'large'], default: 'small' }],
})

it('reads the YAML it writes', () => {
  expect(readApp(yamlOf(app))).toEqual({ values: app })
})

it('reports each error with its line', () => {
  const text = 'name: N\nscript: |\n  run\ncolor: red\nready:\n  status: 99\n'
  expect(readApp(text)).toEqual({
    problems: [
      { line: 1, text: 'name: Min character length is 2' },
      { line: 6, text: 'ready.status: Enter an HTTP status' },
    ],
  })
  expect(readApp(text.replace('name: N', 'name: Notebook').replace('99', '200'))).toEqual({
    problems: [{ line: 4, text: 'color: unknown field' }],
  })
  expect(readApp('- 1')).toMatchObject({ problems: [{ line: null }] })
})
