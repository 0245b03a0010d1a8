import * as z from 'zod/mini'
import { LogLine } from '../clusters/entity'
import { Manager } from '../clusters/inputs'
import { del, get, post, put } from '../endpoint'
import { Id, Page, Removed } from '../lists'
import { OsType } from '../clouds/providers'
import { Stack, StackUploads, StackImage, StackInput, StackUpdate, Usernames } from './entity'

/** A public image that builds start from. */
const PublicImage = z.object({
  osType: z.string(),
  name: z.string(),
  /** As the provider names it. Empty where there is none. */
  image: z.string(),
  publisher: z.string(),
  /** The account that the build logs in with. */
  username: z.string(),
  endOfLife: z.optional(z.string()),
  unavailable: z.optional(z.string()),
})
type PublicImage = z.infer<typeof PublicImage>

const Changed = z.object({ stack: Stack })

export const stacks = {
  list: get('/api/stacks/', {
    summary: 'The stacks one may see, newest first',
    access: 'member',
    query: Page,
    reply: z.array(Stack),
  }),
  view: get('/api/stacks/:id', { summary: 'One stack', access: 'member', reply: Stack }),
  logs: get('/api/stacks/logs/:id/:type', {
    summary: 'The log of its builds (type is build); `after` gives only what came later',
    access: 'member',
    query: z.object({
      after: z._default(z.coerce.number(), 0),
      search: z.optional(z.string().check(z.maxLength(200))),
    }),
    reply: z.array(LogLine),
  }),
  osTypes: get('/api/stacks/provider_os_type/:provider', {
    summary: 'The operating systems that images of a provider can be built on',
    access: 'member',
    reply: z.array(OsType),
  }),
  imagesInfo: get('/api/stacks/images_info/:provider', {
    summary:
      'The public images that builds of a provider start from, and the stacks that have an image there',
    access: 'member',
    reply: z.object({
      publicImages: z.array(PublicImage),
      stacks: z.array(z.object({ id: Id, name: z.string(), manager: Manager, images: z.array(StackImage) })),
    }),
  }),
  file: get('/api/stacks/files/:id/:field/:name', {
    summary:
      'A file of a stack, for its owner (field is nodeProvisioner, serverProvisioner, dataFiles or dataFilesB)',
    access: 'instructor',
    reply: { file: 'application/octet-stream' },
  }),
  create: post('/api/stacks/', {
    summary:
      'Make a stack (form: `stack` as JSON text, files nodeProvisioner, serverProvisioner, dataFiles, dataFilesB; or JSON)',
    access: 'instructor',
    wrapper: 'stack',
    body: StackInput,
    beside: StackUploads,
    reply: Stack,
    status: 201,
    failure: 'form',
    adminScope: true,
    files: true,
  }),
  update: put('/api/stacks/', {
    summary: 'Change a stack (form as at its making); files that `stack.provision` does not name go',
    access: 'instructor',
    wrapper: 'stack',
    body: StackUpdate,
    beside: StackUploads,
    reply: Stack,
    failure: 'form',
    adminScope: true,
    files: true,
  }),
  collaborators: put('/api/stacks/collaborators', {
    summary: 'Who else may make clusters with it',
    access: 'instructor',
    body: z.object({ id: Id, collaborators: Usernames }),
    reply: Changed,
    failure: 'form',
    adminScope: true,
  }),
  remove: del('/api/stacks/:id', {
    summary: 'Delete a stack that no cluster starts from; its images stay in the cloud',
    access: 'instructor',
    query: z.object({ provider: z.optional(z.string().check(z.maxLength(64))) }),
    reply: Removed,
    failure: 'caller',
    adminScope: true,
  }),
  build: post('/api/stacks/build', {
    summary: 'Build its image; `stack` is saved before',
    access: 'instructor',
    body: z.object({ id: Id, stack: z.optional(StackInput) }),
    reply: Changed,
    adminScope: true,
  }),
  finalizeBuild: post('/api/stacks/finalize-build', {
    summary: 'The changes by hand are done: capture the image',
    access: 'instructor',
    body: z.object({ id: Id }),
    reply: Changed,
    adminScope: true,
  }),
  cancel: post('/api/stacks/:id/cancel', {
    summary: 'End the build that is under way; nothing of it is kept',
    access: 'instructor',
    reply: Changed,
    adminScope: true,
  }),
}
