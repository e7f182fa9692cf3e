"""PyPI pyshorteners"""

import pyshorteners
from pyshorteners.base import BaseShortener
from calls import call, methods_of, offers, world

client = pyshorteners.Shortener(api_key=world["token"], api_url=f"{world['url']}/v4", timeout=30).bitly
offers(name for name in methods_of(type(client)) if name not in vars(BaseShortener) or name in vars(type(client)))

call("short", lambda: client.short(world["longUrl"]), lambda link: link == world["link"])
call("expand", lambda: client.expand(world["link"]), lambda url: url == world["longUrl"])
call("total_clicks", lambda: client.total_clicks(world["link"]), lambda clicks: clicks == 2)
