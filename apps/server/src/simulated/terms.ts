import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { guessPlan } from '../providers/azure/images'
import type { Driver, ImagePlan } from '../providers/provider'

/** The terms of marketplace images, which a simulated account accepts once, like a real one. */
export function makeTerms(dir: string): Required<Pick<Driver, 'imageTerms' | 'acceptTerms'>> {
  const file = path.join(dir, 'azure', 'terms.json')
  const accepted = async (): Promise<string[]> =>
    z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8').catch(() => '[]')))
  const nameOf = ({ publisher, product, name }: ImagePlan) => [publisher, product, name].join(':')
  return {
    async imageTerms(image) {
      const plan = guessPlan(image)
      return plan && { plan, accepted: (await accepted()).includes(nameOf(plan)), link: '' }
    },
    async acceptTerms(plan) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, JSON.stringify([...(await accepted()), nameOf(plan)]))
    },
  }
}
