"""A Common Cartridge: links to every section of the published site, the SCORM package and the worksheet as files.

Version 1.1, since Moodle calls 1.2 and 1.3 unknown. The pages themselves stay on the site: importers strip scripts.
"""

from __future__ import annotations

import hashlib
from xml.sax.saxutils import quoteattr

from qkv.exports import worksheet
from qkv.exports.made import FOLDER, Download, Made, xml, zipped

NAME, MANIFEST = "cartridge.imscc", "imsmanifest.xml"
CARRIED = ("scorm12-article.zip", worksheet.NAME)

# The namespace, by which importers tell the version, stands within the first 1024 bytes.
_MANIFEST = """\
<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier={identifier} xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1" \
xmlns:lomimscc="http://ltsc.ieee.org/xsd/imsccv1p1/LOM/manifest">
  <metadata>
    <schema>IMS Common Cartridge</schema>
    <schemaversion>1.1.0</schemaversion>
    <lomimscc:lom>
      <lomimscc:general>
        <lomimscc:title>
          <lomimscc:string language={language}>{title}</lomimscc:string>
        </lomimscc:title>
        <lomimscc:description>
          <lomimscc:string language={language}>{description}</lomimscc:string>
        </lomimscc:description>
      </lomimscc:general>
    </lomimscc:lom>
  </metadata>
  <organizations>
    <organization identifier="course" structure="rooted-hierarchy">
      <item identifier="root">
        <item identifier="article">
          <title>{title}</title>
{items}        </item>
      </item>
    </organization>
  </organizations>
  <resources>
{resources}  </resources>
</manifest>
"""
_ITEM = """\
          <item identifier="item-{name}" identifierref="resource-{name}">
            <title>{title}</title>
          </item>
"""
_RESOURCE = """\
    <resource identifier="resource-{name}" type="{kind}"{href}>
      <file href="{path}"/>
    </resource>
"""
_LINK = """\
<?xml version="1.0" encoding="UTF-8"?>
<webLink xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imswl_v1p1">
  <title>{title}</title>
  <url href={address} target="_blank"/>
</webLink>
"""


def cartridge(made: Made) -> list[Download]:
    """downloads/cartridge.imscc; left out where the site has no address that links could lead to."""
    pages, words = made.pages, made.pages.words
    if not pages.address("index.html"):
        made.left_out.append("the cartridge is left out: its links need an address, so set base_url in site.toml")
        return []
    title = str(pages.content.site["title"])
    files: dict[str, bytes] = {}
    items, resources = "", ""

    def add(name: str, shown: str, kind: str, path: str, data: bytes) -> None:
        nonlocal items, resources
        files[path] = data
        href = "" if kind.startswith("imswl") else f' href="{path}"'
        items += _ITEM.format(name=name, title=xml(shown))
        resources += _RESOURCE.format(name=name, kind=kind, href=href, path=path)

    for section in pages.content.sections:
        address = pages.address(f"sections/{section.slug}.html")
        link = _LINK.format(title=xml(section.title), address=quoteattr(address))
        add(f"link-{section.slug}", section.title, "imswl_xmlv1p1", f"links/{section.slug}.xml", link.encode())
    titles = {CARRIED[0]: words("course.scorm", title=title), CARRIED[1]: words("course.worksheet")}
    for name in CARRIED:
        data = made.files.get(f"{FOLDER}/{name}")
        if data is not None:
            add(f"file-{name.partition('.')[0]}", titles[name], "webcontent", f"files/{name}", data)
    manifest = _MANIFEST.format(
        identifier=quoteattr("cartridge-" + hashlib.sha256(title.encode()).hexdigest()[:10]),
        language=quoteattr(str(pages.content.site["language"])),
        title=xml(title),
        description=xml(str(pages.content.site["description"])),
        items=items,
        resources=resources,
    )
    files[MANIFEST] = manifest.encode()
    return [Download(NAME, zipped(MANIFEST, files), words("course.cartridge"))]
