import * as z from 'zod/mini'
import { get, post, put } from '../endpoint'
import { Done, Time } from '../lists'

/** Why a path is rejected before anything is accessed. */
export const PATH_OUTSIDE =
  'must be inside your home or one of the folders that the cluster’s owner has added'

/**
 * A path with slashes, relative to the user's home on a cluster; empty for the home itself. A path with a leading slash
 * is below one of the cluster's additional folders.
 */
const FilePath = z.string().check(
  z.maxLength(4096),
  z.refine((path) => !path.split('/').includes('..'), PATH_OUTSIDE),
)
const Name = FilePath.check(z.minLength(1, 'Enter a name'))

export const FileEntry = z.object({
  name: z.string(),
  type: z.enum(['file', 'folder', 'link', 'other']),
  size: z.number(),
  modifiedAt: Time,
  /** In the format of `ls`: rwxr-x---. */
  permissions: z.string(),
  /** The type of a link's target. `outside`: outside the home, where links are not followed. */
  target: z.nullable(z.enum(['file', 'folder', 'other', 'outside', 'missing', 'denied'])),
})
export type FileEntry = z.infer<typeof FileEntry>

export const TEXT_FILE_MAX_BYTES = 1024 * 1024
/** Longer files are viewed in pages of about this size, cut at line ends. */
export const TEXT_PAGE_BYTES = 256 * 1024
/** An upload is sent in pieces of at most this size, so that it can resume after an interruption. */
export const UPLOAD_PIECE_BYTES = 8 * 1024 * 1024

const at = z.object({ path: FilePath })
export const files = {
  list: get('/api/files/:cluster/list', {
    summary: 'List a folder in your home or one of the cluster’s folders',
    access: 'user',
    query: z.object({ path: z._default(FilePath, '') }),
    reply: z.object({
      area: z.string(),
      path: z.string(),
      entries: z.array(FileEntry),
      truncated: z.boolean(),
      /** Why links that lead out of the home are not followed here, or null. */
      linksBlockedReason: z.nullable(z.string()),
    }),
  }),
  readText: get('/api/files/:cluster/text', {
    summary: 'Read a whole text file',
    access: 'user',
    query: z.object({ path: Name }),
    reply: z.object({ text: z.string(), size: z.number(), modifiedAt: Time, binary: z.boolean() }),
  }),
  writeText: put('/api/files/:cluster/text', {
    summary: 'Save a text file. `modifiedAt` guards against overwriting someone else’s changes',
    access: 'user',
    tokens: 'jobs',
    body: z.object({
      path: Name,
      text: z.string().check(z.maxLength(TEXT_FILE_MAX_BYTES)),
      modifiedAt: z.optional(z.nullable(Time)),
    }),
    reply: z.object({ modifiedAt: Time, size: z.number() }),
    failure: 'form',
  }),
  readPage: get('/api/files/:cluster/page', {
    summary: 'Read one page of a text file of any length, from 0',
    access: 'user',
    query: z.object({ path: Name, page: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0) }),
    reply: z.object({
      text: z.string(),
      page: z.number(),
      pages: z.number(),
      /** The size of the file, and the offset of this page in it. */
      size: z.number(),
      offset: z.number(),
      modifiedAt: Time,
      binary: z.boolean(),
    }),
  }),
  setPermissions: post('/api/files/:cluster/permissions', {
    summary: 'Set the permission bits of files and folders, such as 420 for rw-r--r--',
    access: 'user',
    tokens: 'jobs',
    body: z.object({
      paths: z.array(Name).check(z.minLength(1), z.maxLength(1000)),
      permissions: z.number().check(z.int(), z.minimum(0), z.maximum(0o7777)),
      /** The folder in which they were found: paths that have since come to lead through a link are rejected. */
      below: z.optional(FilePath),
    }),
    reply: Done,
    failure: 'form',
  }),
  makeFolder: post('/api/files/:cluster/folder', {
    summary: 'Create a folder',
    access: 'user',
    tokens: 'jobs',
    body: z.object({ path: Name }),
    reply: Done,
    status: 201,
    failure: 'form',
  }),
  rename: post('/api/files/:cluster/rename', {
    summary: 'Rename or move a file or folder',
    access: 'user',
    tokens: 'jobs',
    body: z.object({ from: Name, to: Name }),
    reply: Done,
    failure: 'form',
  }),
  remove: post('/api/files/:cluster/remove', {
    summary: 'Delete files and folders recursively',
    access: 'user',
    tokens: 'jobs',
    body: z.object({ paths: z.array(Name).check(z.minLength(1), z.maxLength(1000)) }),
    reply: Done,
  }),
  download: get('/api/files/:cluster/download', {
    summary: 'Download a file, or a folder as .tar.gz',
    access: 'user',
    query: at,
    reply: { file: 'application/octet-stream' },
  }),
  /** How much of an upload has arrived, to resume it from there. */
  uploaded: get('/api/files/:cluster/upload', {
    summary: 'Get how many bytes of an unfinished upload have arrived',
    access: 'user',
    query: z.object({ path: Name }),
    reply: z.object({ received: z.number() }),
  }),
  upload: put('/api/files/:cluster/upload', {
    summary:
      'Upload a piece of a file (application/octet-stream) at an offset. The last piece, with final=true, completes the file',
    access: 'user',
    tokens: 'jobs',
    query: z.object({
      path: Name,
      offset: z.coerce.number().check(z.int(), z.minimum(0)),
      final: z._default(z.enum(['true', 'false']), 'false'),
      replace: z._default(z.enum(['true', 'false']), 'false'),
    }),
    /** The body is the piece itself, not JSON. */
    raw: true,
    reply: z.object({ received: z.number() }),
    failure: 'caller',
  }),
}
