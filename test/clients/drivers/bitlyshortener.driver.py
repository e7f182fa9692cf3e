"""PyPI bitlyshortener: its addresses are constants of a module."""

from bitlyshortener import Shortener, config
from calls import call, offers, world

for name in [name for name in vars(config) if name.startswith("API_")]:
    setattr(config, name, getattr(config, name).replace("https://api-ssl.bitly.com", world["url"]))
config.REQUEST_TIMEOUT = 30

client = Shortener(tokens=[world["token"]])
offers(name for name in dir(Shortener) if not name.startswith("_"))

long_url, link = world["longUrl"], world["link"]
call("shorten_urls", lambda: client.shorten_urls([long_url]), lambda links: links == [link])
# The client shortens what a short link leads to.
call("shorten_urls of a short link", lambda: client.shorten_urls([link]), lambda links: links == [link])
two = [f"{long_url}/1", f"{long_url}/2"]
call("shorten_urls_to_dict", lambda: client.shorten_urls_to_dict(two), lambda links: list(links) == two)
call("usage", client.usage, lambda share: 0 <= share < 1)
call("cache_info", lambda: client.cache_info, lambda info: len(info) == 1)
