/**
 * The stream as the edges see it: where its daemons are and how they do. Whether they are in this process or on machines
 * of their own is for app.ts to know.
 */
export interface Stream {
  /** The daemons that have this topic, or will have it; none while the stream is off. */
  lookup(topic: string): Promise<readonly Producer[]>
  stats(): Promise<NsqStats>
  /** To be called when somebody may read the stream, or may no longer: when it returns, that is so. */
  accessChanged(): Promise<void>
  /** Where it is and how readers know that it is the right one; of a stream in this process. */
  readonly place?: StreamPlace
  /** What only a stream in this process can tell. */
  figures?(): Promise<StreamFigures>
  /** Lets the operator of this machine read a topic for a while, whoever else may; only in this process. */
  watch?(topic: string): Promise<WatchedTopic>
}

export interface StreamPlace {
  /** `host:port` */
  readonly address: string
  /** SHA-256 of its certificate. */
  readonly fingerprint: string
  /** The file with the authority that signed it; undefined where the operator brought a certificate. */
  readonly authorityFile: string | undefined
}

/** Counts since the start, but for what is open and kept. */
export interface StreamFigures {
  readonly openConnections: number
  readonly connections: number
  readonly connectionsRefused: number
  readonly published: number
  readonly delivered: number
  readonly finished: number
  readonly requeued: number
  readonly timedOut: number
  /** Messages dropped before a channel had finished them. */
  readonly lost: number
  /** Bytes of messages that are kept. */
  readonly logBytes: number
  /** Error frames, by their code. */
  readonly errors: Readonly<Record<string, number>>
  /** How often its thread had to be started again. */
  readonly restarts: number
}

export interface WatchedTopic {
  readonly topic: string
  readonly secret: string
  readonly host: string
  readonly port: number
  /** In PEM: the one that must be shown there. */
  readonly certificate: string
}

/** One daemon, as nsqlookupd describes it. */
export interface Producer {
  readonly remote_address: string
  readonly hostname: string
  readonly broadcast_address: string
  readonly tcp_port: number
  /** 0 where the daemon answers no HTTP. */
  readonly http_port: number
  readonly version: string
}

/** The parts of an nsqd's `/stats?format=json` that we pass on, from each daemon. */
export interface NsqStats {
  readonly daemons: readonly DaemonStats[]
}

export interface DaemonStats {
  /** `broadcast_address:port` */
  readonly address: string
  /** `OK`, or what is wrong. */
  readonly health: string
  readonly topics: readonly TopicStats[]
}

export interface TopicStats {
  readonly topic_name: string
  readonly depth: number
  readonly message_count: number
  readonly channels: readonly ChannelStats[]
}

export interface ChannelStats {
  readonly channel_name: string
  readonly depth: number
  readonly backend_depth: number
  readonly in_flight_count: number
  readonly deferred_count: number
  readonly message_count: number
  readonly requeue_count: number
  readonly timeout_count: number
  /** Messages that were dropped before the channel had finished them; only the embedded daemon counts them. */
  readonly lost_count?: number
  readonly clients: readonly ClientStats[]
  readonly paused: boolean
}

export interface ClientStats {
  readonly client_id: string
  readonly hostname: string
  readonly user_agent: string
  readonly version: string
  readonly state: number
  readonly remote_address: string
  readonly connect_ts: number
  readonly message_count: number
  readonly finish_count: number
  readonly requeue_count: number
  readonly in_flight_count: number
  readonly ready_count: number
  readonly sample_rate: number
  readonly tls: boolean
  readonly deflate: boolean
  readonly snappy: boolean
  readonly auth_identity?: string
}

/** For a service without a stream: nobody is sent anywhere. */
export const noStream: Stream = {
  lookup: async () => [],
  stats: async () => ({ daemons: [] }),
  accessChanged: async () => {},
}
