import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { evaluate } from '../language/evaluate'
import { parseExpression } from '../language/parse'
import { convert } from '../language/types'
import { fromJson, isObject, ModuleError, secret, type Value, type Values } from '../language/values'
import type { Module } from './module'

/** Variable files are outside of the module, so they cannot refer to anything. */
const nothing = {
  member(root: string, name: string): Value {
    throw new ModuleError(`${root}.${name} cannot be used in the value of a variable`)
  },
}
const literal = (text: string) => evaluate(parseExpression(text), nothing)

/** Reads a variable file: JSON, or one `name = expression` per line. */
async function readValues(file: string): Promise<Values> {
  const text = await readFile(file, 'utf8')
  if (file.endsWith('.json')) {
    const values = fromJson(JSON.parse(text))
    return isObject(values) ? values : {}
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, expression] = /^\s*(\w+)\s*=\s*(.*)$/.exec(line) ?? []
      if (!name || expression === undefined) throw new ModuleError(`${file} cannot be read`)
      return [name, literal(expression)]
    }),
  )
}

export interface VariableSources {
  folder: string
  env: NodeJS.ProcessEnv
  /** The files of `-var-file`. */
  files: string[]
}

/** The values given for variables; of several sources, the later ones take precedence. */
export async function givenVariables(
  module: Module,
  { folder, env, files }: VariableSources,
): Promise<Values> {
  const fromEnvironment = Object.fromEntries(
    Object.entries(module.variables).flatMap(([name, { type }]) => {
      const text = env[`TF_VAR_${name}`]
      if (text === undefined) return []
      // A string variable takes the text literally, every other type an expression.
      return [[name, type.is === 'string' ? text : literal(text)]]
    }),
  )
  const names = (await readdir(folder)).filter((name) => /\.auto\.tfvars(\.json)?$/.test(name)).toSorted()
  const read = await Promise.all([...names.map((name) => path.join(folder, name)), ...files].map(readValues))
  const given: Values = Object.assign({}, fromEnvironment, ...read)
  return Object.fromEntries(
    Object.entries(module.variables).flatMap(([name, { type, sensitive }]) => {
      const value = given[name]
      if (value === undefined) return []
      const converted = convert(value, type, `var.${name}`)
      return [[name, sensitive ? secret(converted) : converted]]
    }),
  )
}

/** The values of all variables of a module, including defaults. */
export async function readVariables(module: Module, from: VariableSources): Promise<Values> {
  const given = await givenVariables(module, from)
  return Object.fromEntries(
    Object.entries(module.variables).map(([name, { otherwise, sensitive }]) => {
      const value = name in given ? given[name] : otherwise
      if (value === undefined) {
        throw new ModuleError(
          `No value for required variable: the root module input variable "${name}" is not set, and has no default value.`,
        )
      }
      return [name, sensitive ? secret(value) : value]
    }),
  )
}
