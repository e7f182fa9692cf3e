/**
 * Rewrites an mmdb file with some of its fields. Networks whose records become equal are merged, and equal subtrees are
 * stored once: readers follow node numbers and do not notice. The file without coordinates, postal codes and time zones
 * is a fraction of the original.
 */
export function slimMmdb(data, fields) {
  const source = readMetadata(data)
  const values = new Values(fields)
  const tree = slimTree(data, source, values)
  const sections = [tree.encode(values), Buffer.alloc(16), values.bytes(), metadataMark]
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: source.build_epoch,
    database_type: `${source.database_type} (only ${fields.join(', ')})`,
    ip_version: source.ip_version,
    languages: ['en'],
    node_count: tree.size,
    record_size: tree.recordSize(values),
  }
  return Buffer.concat([...sections, encode(metadata)])
}

/**
 * A slim file whose pointers to nodes count from the node they are in: gzip makes a third of it, and of the file itself two
 * thirds. Children come after their parents, so the pointers stay positive.
 */
export function packed(slim) {
  const { node_count: count, record_size: bits } = readMetadata(slim)
  if (bits !== 24) throw new Error(`Records of ${bits} bits are not packed: mmdb.ts reads those of 24.`)
  const data = Buffer.from(slim)
  for (let record = 0; record < 2 * count; record++) {
    const pointer = three(data, 3 * record)
    if (pointer < count) writeThree(data, 3 * record, pointer - (record >> 1))
  }
  return data
}

const metadataMark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

function readMetadata(data) {
  const start = data.lastIndexOf(metadataMark) + metadataMark.length
  return decode(section(data, start), start).value
}

/** Node of the new tree, `empty`, or a record as `-2 - id`: one number for each, so that equality is cheap. */
const empty = -1
const recordOf = (id) => -2 - id

/** From the last node to the first: children come after their parents, so both sides of a node are already rewritten. */
function slimTree(data, { node_count: count, record_size: bits }, values) {
  const dataStart = (count * bits) / 4 + 16
  const rewritten = new Int32Array(count)
  const tree = new Tree(count)
  const records = new Map()
  const found = section(data, dataStart)

  function side(pointer, parent) {
    if (pointer === count) return empty
    if (pointer < count) {
      if (pointer <= parent) throw new Error('A node comes before its parent: this file is numbered in another way.')
      return rewritten[pointer]
    }
    let record = records.get(pointer)
    if (record === undefined) {
      record = recordOf(values.idOf(decode(found, dataStart + pointer - count - 16).value))
      records.set(pointer, record)
    }
    return record
  }

  const width = bits / 4
  for (let node = count - 1; node >= 0; node--) {
    const at = node * width
    rewritten[node] = tree.join(side(leftAt(data, at, bits), node), side(rightAt(data, at, bits), node), node === 0)
  }
  return tree
}

function leftAt(data, at, bits) {
  if (bits === 32) return data.readUInt32BE(at)
  return three(data, at) + (bits === 28 ? (data[at + 3] >> 4) * 0x1000000 : 0)
}

function rightAt(data, at, bits) {
  if (bits === 32) return data.readUInt32BE(at + 4)
  return bits === 28 ? three(data, at + 4) + (data[at + 3] & 15) * 0x1000000 : three(data, at + 3)
}

function three(data, at) {
  return (data[at] << 16) | (data[at + 1] << 8) | data[at + 2]
}

function writeThree(data, at, value) {
  data[at] = value >> 16
  data[at + 1] = value >> 8
  data[at + 2] = value
}

/** Nodes, each stored once, in a hash table with open addressing: a Map of this many entries takes gigabytes. */
class Tree {
  size = 0

  constructor(most) {
    this.left = new Int32Array(most)
    this.right = new Int32Array(most)
    this.table = new Int32Array(2 ** Math.ceil(Math.log2(most * 2 + 2))).fill(-1)
  }

  join(left, right, isRoot) {
    if (left === right && left < 0 && !isRoot) return left
    const mask = this.table.length - 1
    let place = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) & mask
    for (; this.table[place] !== -1; place = (place + 1) & mask) {
      const known = this.table[place]
      if (this.left[known] === left && this.right[known] === right) return known
    }
    this.table[place] = this.size
    this.left[this.size] = left
    this.right[this.size] = right
    return this.size++
  }

  recordSize(values) {
    const highest = this.size + 16 + values.length
    return highest < 2 ** 24 ? 24 : highest < 2 ** 28 ? 28 : 32
  }

  /** Children were made before their parents, and the root, made last, must be node 0. */
  encode(values) {
    const bits = this.recordSize(values)
    const bytes = Buffer.alloc((this.size * bits) / 4)
    const pointer = (value) => {
      if (value >= 0) return this.size - 1 - value
      return value === empty ? this.size : this.size + 16 + values.offsetOf(recordOf(value))
    }
    for (let node = 0; node < this.size; node++) {
      const made = this.size - 1 - node
      writeNode(bytes, (node * bits) / 4, bits, pointer(this.left[made]), pointer(this.right[made]))
    }
    return bytes
  }
}

function writeNode(bytes, at, bits, left, right) {
  if (bits === 24) {
    writeThree(bytes, at, left)
    writeThree(bytes, at + 3, right)
    return
  }
  const whole = Math.floor(bits / 8)
  bytes.writeUIntBE(left % 2 ** (8 * whole), at, whole)
  bytes.writeUIntBE(right % 2 ** (8 * whole), at + bits / 4 - whole, whole)
  if (bits === 28) bytes[at + 3] = (Math.floor(left / 2 ** 24) << 4) | Math.floor(right / 2 ** 24)
}

/** The data section: each record once, and in it pointers to texts, each of which is stored once. */
class Values {
  length = 0
  #chunks = []
  #texts = new Map()
  #ids = new Map()
  #offsets = []
  #fields

  constructor(fields) {
    this.#fields = fields
    // First, where pointers to them take two bytes.
    for (const field of fields) this.#text(field)
  }

  idOf(record) {
    let key = ''
    for (const field of this.#fields) key += `${record[field] ?? ''}\n`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const kept = this.#fields.filter((field) => record[field])
    const parts = kept.flatMap((field) => [this.#text(field), this.#text(record[field])])
    const id = this.#offsets.length
    this.#ids.set(key, id)
    this.#offsets.push(this.#append(Buffer.concat([Buffer.from([(7 << 5) | kept.length]), ...parts])))
    return id
  }

  offsetOf(id) {
    return this.#offsets[id]
  }

  bytes() {
    return Buffer.concat(this.#chunks)
  }

  /** The text itself where a pointer would be no shorter. */
  #text(text) {
    if (text.length <= 2) return encode(text)
    let offset = this.#texts.get(text)
    if (offset === undefined) {
      offset = this.#append(encode(text))
      this.#texts.set(text, offset)
    }
    return pointerTo(offset)
  }

  #append(bytes) {
    const offset = this.length
    this.#chunks.push(bytes)
    this.length += bytes.length
    return offset
  }
}

function pointerTo(offset) {
  if (offset < 2048) return Buffer.from([(1 << 5) | (offset >> 8), offset & 255])
  const bytes = Buffer.alloc(4)
  if (offset < 526_336) {
    bytes.writeUIntBE(offset - 2048, 1, 3)
    bytes[1] |= (1 << 5) | (1 << 3)
    return bytes.subarray(1)
  }
  bytes.writeUInt32BE(offset - 526_336)
  bytes[0] |= (1 << 5) | (2 << 3)
  return bytes
}

function encode(value) {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([sized(2, text.length), text])
  }
  if (typeof value === 'number') {
    const size = value < 256 ? 1 : value < 65_536 ? 2 : 4
    const bytes = Buffer.alloc(size)
    bytes.writeUIntBE(value, 0, size)
    return Buffer.concat([sized(size > 2 ? 6 : 5, size), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([sized(7, entries.length), ...entries.flat().map(encode)])
}

function sized(type, size) {
  if (size < 29) return Buffer.from([(type << 5) | size])
  if (size < 285) return Buffer.from([(type << 5) | 29, size - 29])
  return Buffer.from([(type << 5) | 30, (size - 285) >> 8, (size - 285) & 255])
}

/** Where pointers count from `start`. What they point to, mostly names of fields and places, is decoded once. */
function section(data, start) {
  return { data, start, pointedTo: new Map() }
}

/** Decodes what these files have; numbers that are no whole ones are skipped. */
function decode(from, at) {
  const { data } = from
  const control = data[at]
  const type = control >> 5 || data[at + 1] + 7
  if (type === 1) {
    const size = (control >> 3) & 3
    const given = data.readUIntBE(at + 1, size + 1) + (size < 3 ? (control & 7) * 2 ** (8 * (size + 1)) : 0)
    return { value: pointedTo(from, from.start + given + [0, 2048, 526_336, 0][size]), next: at + size + 2 }
  }
  const head = at + (control >> 5 === 0 ? 2 : 1)
  const short = control & 31
  const extra = short < 29 ? 0 : short - 28
  const size = extra === 0 ? short : [29, 285, 65_821][extra - 1] + data.readUIntBE(head, extra)
  const body = head + extra
  if (type === 2) return { value: data.toString('utf8', body, body + size), next: body + size }
  if (type === 7) return decodeMap(from, body, size)
  if (type === 11) return decodeList(from, body, size)
  const isWhole = (type === 5 || type === 6 || type === 9) && size > 0 && size <= 6
  return { value: isWhole ? data.readUIntBE(body, size) : 0, next: type === 14 ? body : body + size }
}

function pointedTo(from, target) {
  const known = from.pointedTo.get(target)
  if (known !== undefined) return known
  const { value } = decode(from, target)
  from.pointedTo.set(target, value)
  return value
}

function decodeMap(from, at, size) {
  const value = {}
  let next = at
  for (let index = 0; index < size; index++) {
    const key = decode(from, next)
    const entry = decode(from, key.next)
    value[key.value] = entry.value
    next = entry.next
  }
  return { value, next }
}

function decodeList(from, at, size) {
  const value = []
  let next = at
  for (let index = 0; index < size; index++) {
    const entry = decode(from, next)
    value.push(entry.value)
    next = entry.next
  }
  return { value, next }
}
