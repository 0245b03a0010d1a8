import * as z from 'zod/mini'
import { LogLine } from '../clusters/entity'
import { Manager } from '../clusters/inputs'
import { ImageTerms } from '../clusters/terms'
import { del, get, post, put } from '../endpoint'
import { Id, Page, Removed } from '../lists'
import { OsType } from '../clouds/providers'
import { Stack, StackUploads, StackImage, StackInput, StackUpdate, Usernames } from './entity'

/** A public image that builds start from. */
const PublicImage = z.object({
  osType: z.string(),
  name: z.string(),
  /** The provider's name of the image. Empty if there is none. */
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
    summary: 'List the stacks you can see, newest first',
    access: 'member',
    query: Page,
    reply: z.array(Stack),
  }),
  view: get('/api/stacks/:id', { summary: 'Get a stack', access: 'member', reply: Stack }),
  logs: get('/api/stacks/logs/:id/:type', {
    summary: 'Get the log of its builds (type is build). With `after`, only later lines',
    access: 'member',
    query: z.object({
      after: z._default(z.coerce.number(), 0),
      search: z.optional(z.string().check(z.maxLength(200))),
    }),
    reply: z.array(LogLine),
  }),
  osTypes: get('/api/stacks/provider_os_type/:provider', {
    summary: 'List the operating systems available for images of a provider',
    access: 'member',
    reply: z.array(OsType),
  }),
  imagesInfo: get('/api/stacks/images_info/:provider', {
    summary:
      'List the public images of a provider that builds can start from, and the stacks with an image there',
    access: 'member',
    reply: z.object({
      publicImages: z.array(PublicImage),
      stacks: z.array(z.object({ id: Id, name: z.string(), manager: Manager, images: z.array(StackImage) })),
    }),
  }),
  file: get('/api/stacks/files/:id/:field/:name', {
    summary:
      'Download a file of a stack, for its owner (field is nodeProvisioner, serverProvisioner, dataFiles or dataFilesB)',
    access: 'instructor',
    reply: { file: 'application/octet-stream' },
  }),
  create: post('/api/stacks/', {
    summary:
      'Create a stack (form: `stack` as JSON text, files nodeProvisioner, serverProvisioner, dataFiles, dataFilesB; or JSON)',
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
    summary: 'Update a stack (same form as creating one). Files not named in `stack.provision` are deleted',
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
    summary: 'Set who else can create clusters with a stack',
    access: 'instructor',
    body: z.object({ id: Id, collaborators: Usernames }),
    reply: Changed,
    failure: 'form',
    adminScope: true,
  }),
  remove: del('/api/stacks/:id', {
    summary: 'Delete a stack that no cluster uses. Its images stay in the cloud',
    access: 'instructor',
    query: z.object({ provider: z.optional(z.string().check(z.maxLength(64))) }),
    reply: Removed,
    failure: 'caller',
    adminScope: true,
  }),
  build: post('/api/stacks/build', {
    summary: 'Build the image of a stack, after saving `stack`',
    access: 'instructor',
    body: z.object({ id: Id, stack: z.optional(StackInput) }),
    reply: Changed,
    adminScope: true,
  }),
  terms: get('/api/stacks/:id/terms', {
    summary:
      'Ask the cloud for the terms of the marketplace image it is built from, if the account has not accepted them',
    access: 'instructor',
    reply: z.array(ImageTerms),
    adminScope: true,
  }),
  acceptTerms: post('/api/stacks/acceptTerms', {
    summary: 'Accept these terms on behalf of the cloud account',
    access: 'instructor',
    body: z.object({ id: Id, names: z.array(z.string().check(z.maxLength(300))).check(z.maxLength(10)) }),
    reply: z.object({ accepted: z.array(z.string()) }),
    adminScope: true,
  }),
  finalizeBuild: post('/api/stacks/finalize-build', {
    summary: 'Finish the manual changes and capture the image',
    access: 'instructor',
    body: z.object({ id: Id }),
    reply: Changed,
    adminScope: true,
  }),
  cancel: post('/api/stacks/:id/cancel', {
    summary: 'Cancel the current build. Its machine is removed and no image is created',
    access: 'instructor',
    reply: Changed,
    adminScope: true,
  }),
}
