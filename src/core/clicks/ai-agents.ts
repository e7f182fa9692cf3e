/**
 * AI agents and assistants, by the token in their user agents. Tokens and operators are facts from ai.robots.txt
 * (github.com/ai-robots-txt/ai.robots.txt, MIT licence, as of August 2026), without tokens that are ordinary words or stand
 * in robots.txt alone. Add new ones at the end of their operator.
 */
const agentsByOperator: Readonly<Record<string, readonly string[]>> = {
  OpenAI: ['GPTBot', 'OAI-SearchBot', 'ChatGPT-User', 'ChatGPT Agent'],
  Anthropic: ['ClaudeBot', 'Claude-SearchBot', 'Claude-User', 'Claude-Web', 'Claude-Code', 'anthropic-ai'],
  Perplexity: ['PerplexityBot', 'Perplexity-User'],
  Google: [
    ...['GoogleOther', 'GoogleOther-Image', 'GoogleOther-Video', 'Google-Agent', 'GoogleAgent-Mariner'],
    ...['GoogleAgent-URLContext', 'Google-CloudVertexBot', 'Google-NotebookLM', 'Gemini-Deep-Research'],
  ],
  Meta: ['meta-externalagent', 'meta-webindexer'],
  Amazon: ['Amazonbot', 'Amzn-SearchBot', 'Amzn-User', 'AmazonBuyForMe', 'bedrockbot', 'NovaAct'],
  Microsoft: ['AzureAI-SearchBot'],
  ByteDance: ['Bytespider', 'TikTokSpider'],
  'Common Crawl': ['CCBot'],
  Ai2: ['AI2Bot', 'AI2Bot-DeepResearchEval', 'Ai2Bot-Dolma'],
  Alibaba: ['TongyiBot'],
  Baidu: ['YiyanBot'],
  'Butterfly Effect': ['Manus-User'],
  Cohere: ['cohere-ai', 'cohere-training-data-crawler'],
  DeepSeek: ['DeepSeekBot'],
  Diffbot: ['Diffbot'],
  DuckDuckGo: ['DuckAssistBot'],
  Exa: ['ExaSearchBot'],
  Firecrawl: ['FirecrawlAgent'],
  Huawei: ['PanguBot', 'PetalBot'],
  Kagi: ['kagi-fetcher'],
  LAION: ['LAIONDownloader', 'img2dataset'],
  Mistral: ['MistralAI-User'],
  'Moonshot AI': ['Kimi-User'],
  Parallel: ['ShapBot', 'Shap-User'],
  Phind: ['PhindBot'],
  Tavily: ['TavilyBot'],
  Timpi: ['Timpibot'],
  'Webz.io': ['omgili', 'omgilibot', 'webzio-extended'],
  You: ['YouBot'],
  'Zhipu AI': ['ChatGLM-Spider'],
}

const names = new Map(
  Object.values(agentsByOperator).flatMap((tokens) => tokens.map((token) => [token.toLowerCase(), token] as const)),
)

/** Whole tokens: `GPTBot/1.2`, not `MyGPTBot`. */
const token = new RegExp(`(?<![\\w-])(?:${[...names.keys()].join('|')})(?![\\w-])`, 'i')

/** The name of the AI agent; empty for people and other programs. */
export function aiAgentOf(userAgent: string): string {
  const [found = ''] = token.exec(userAgent.slice(0, 1024)) ?? []
  return names.get(found.toLowerCase()) ?? ''
}
