"""SCORM packages: the article, and each section, as one lesson that tells a course platform what the learner has done.

The lesson is the finished page with three things added: a list of what is done, the rules for it as JSON, and
`templates/assets/scorm.js`, which finds the platform and speaks with it. What leads away from the page opens in a tab
of its own, or nowhere where the site has no address.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from markupsafe import escape

from qkv.article.goals import Need
from qkv.content.sections import Section
from qkv.errors import Place, fail
from qkv.exports.made import Download, Made, xml, zipped
from qkv.exports.single import NOWHERE, leading
from qkv.output.assets import stylesheet
from qkv.pages.data import dump
from qkv.pages.page import Page
from qkv.templates import asset

MANIFEST, START = "imsmanifest.xml", "index.html"
TITLE = 200  # letters of a title, at most
WORDS = ("count", "complete", "done", "said")
CARRIED = ("style", "plotly_css", "noscript", "icon", "app", "plotly")  # shared files that the page loads


@dataclass(frozen=True)
class Version:
    """What differs between the two versions of SCORM."""

    name: str  # of the zips
    newer: bool
    data: int  # letters that a platform keeps for a lesson
    manifest: str


VERSIONS = (
    Version(
        "scorm12",
        False,
        4096,
        """\
<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier={identifier} version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" \
xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>1.2</schemaversion>
  </metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>{title}</title>
      <item identifier="lesson" identifierref="page" isvisible="true">
        <title>{title}</title>
      </item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:scormtype="sco" href={start}>
{files}    </resource>
  </resources>
</manifest>
""",
    ),
    Version(
        "scorm2004",
        True,
        64000,
        """\
<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier={identifier} version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" \
xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
  <metadata>
    <schema>ADL SCORM</schema>
    <schemaversion>2004 3rd Edition</schemaversion>
  </metadata>
  <organizations default="course">
    <organization identifier="course">
      <title>{title}</title>
      <item identifier="lesson" identifierref="page" isvisible="true">
        <title>{title}</title>
        <imsss:sequencing>
          <imsss:deliveryControls completionSetByContent="true" objectiveSetByContent="true"/>
        </imsss:sequencing>
      </item>
      <imsss:sequencing>
        <imsss:controlMode choice="true" flow="true"/>
      </imsss:sequencing>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:scormType="sco" href={start}>
{files}    </resource>
  </resources>
</manifest>
""",
    ),
)

Tracked = list[tuple[Section, list[Need]]]


def scorm(made: Made) -> list[Download]:
    """scorm12-article.zip, scorm12-section-<slug>.zip, …, and the same for 2004."""
    found = []
    tracked = [(section, made.pages.needs[section.slug]) for section in made.pages.content.sections]
    tracked = [(section, needs) for section, needs in tracked if needs]
    if not tracked:
        made.left_out.append("SCORM packages are left out: no section says with `done` what counts as done")
        return []
    title = str(made.pages.content.site["title"])
    for version in VERSIONS:
        found.append(_package(made, version, "article", title, made.article[0], tracked))
        for section, needs in tracked:
            page = next(page for page in made.article if page.path == f"sections/{section.slug}.html")
            found.append(_package(made, version, f"section-{section.slug}", section.title, page, [(section, needs)]))
    return found


def _package(made: Made, version: Version, stem: str, title: str, page: Page, tracked: Tracked) -> Download:
    name = f"{version.name}-{stem}.zip"
    files = {made.assets[shared]: made.files[made.assets[shared]] for shared in CARRIED}
    added = {"scorm.js": asset(made.templates, "scorm.js"), "lesson.css": stylesheet(made.templates, "lesson.css")}
    for own, text in added.items():
        data = text.encode()
        stem_, ending = own.split(".")
        files[f"assets/{stem_}.{hashlib.sha256(data).hexdigest()[:10]}.{ending}"] = data
    rules = _rules(made, version, tracked)
    if _longest(rules) > version.data:
        problem = f"the article has more sections and questions than SCORM can keep in {version.data:,} letters"
        fix = "take `done` out of some sections, or shorten their slugs"
        raise fail(Place(f"site/downloads/{name}"), problem, fix)
    files[START] = _lesson(made, page, tracked, rules, list(files)).encode()
    listed = "".join(f"      <file href={quoteattr(path)}/>\n" for path in (START, *sorted(files.keys() - {START})))
    kept = title if len(title) <= TITLE else title[: TITLE - 1] + "\u2026"
    digest = hashlib.sha256(f"{made.pages.content.site['title']}\0{stem}".encode()).hexdigest()[:10]
    manifest = version.manifest.format(
        identifier=quoteattr(f"{stem}-{digest}"), title=xml(kept), start=quoteattr(START), files=listed
    )
    return Download(name, zipped(MANIFEST, {MANIFEST: manifest.encode(), **files}), title)


def _rules(made: Made, version: Version, tracked: Tracked) -> dict[str, object]:
    """What scorm.js reads."""
    pages, words = made.pages, made.pages.words
    parts = [pages.section(section, pages.base, "") for section, _ in tracked]
    return {
        "newer": version.newer,
        "score": pages.content.site["score"],
        "sections": [
            {
                "id": section.slug,
                "title": section.title,
                "needs": [{"either": [{"state": c.state, "by": c.by} for c in need.either]} for need in needs],
            }
            for section, needs in tracked
        ],
        "questions": [question.id for part in parts for question in part["questions"]],
        "words": {word: words.template(f"course.{word}") for word in WORDS},
    }


def _longest(rules: dict[str, object]) -> int:
    """The letters that scorm.js keeps at most: see encode() there."""
    sections, questions = rules["sections"], rules["questions"]
    assert isinstance(sections, list)
    assert isinstance(questions, list)
    letters = sum(len(f";s:{section['id']}:") + max(1, len(section["needs"])) for section in sections)
    return len("1;c") + letters + sum(len(f";q:{question}:1") for question in questions)


def _lesson(made: Made, page: Page, tracked: Tracked, rules: dict[str, object], files: list[str]) -> str:
    """The finished page as a lesson."""
    pages, words = made.pages, made.pages.words
    root = "../" * page.path.count("/")
    base_url = pages.address(START)
    script = next(path for path in files if path.startswith("assets/scorm."))
    style = next(path for path in files if path.startswith("assets/lesson."))
    app = f'<script src="{made.assets["app"]}" defer></script>\n'
    listed = pages.env.get_template("scorm.html").render(tracked=tracked)
    data = f'<script type="application/json" id="progress">{dump(rules)}</script>\n'
    privacy = f"<p>{escape(words('page.privacy'))}</p>"
    told = f"<p>{escape(words('course.privacy_score' if rules['score'] else 'course.privacy'))}</p>"
    changes = [
        (app, f'<link rel="stylesheet" href="{style}">\n{app}<script src="{script}" defer></script>\n'),
        ("</h1>", f"</h1>\n{listed}"),
        ("</body>", f"{data}</body>"),
        (privacy, told),
    ]
    html = page.html
    for path in made.assets.values() if root else ():
        html = html.replace(f'"{root}{path}"', f'"{path}"')
    html = re.sub(r'(?s)<nav class="beside".*?</nav>\n|<p><a href="[^"]*teachers\.html">.*?</p>\n?', "", html)
    html = re.sub("<a [^>]*>", lambda tag: leading(tag.group(), page.path, base_url), html)
    html = NOWHERE.sub("", html)
    html = html.replace(' rel="noopener"', "")
    html = re.sub(r'<a (?=[^>]*href="https?:)', '<a target="_blank" rel="noopener" ', html)
    if base_url:  # the link to the present view is for others, who are not in this course
        html = html.replace("<html ", f'<html data-home="{escape(pages.address(page.path))}" ', 1)
        html = html.replace('<a class="link"', '<a target="_blank" rel="noopener" class="link"')
    for old, new in changes:
        if html.count(old) != 1:
            problem = f"holds {old!r} {html.count(old)} times, where a package needs it once"
            raise fail(Place(f"site/{page.path}"), problem, "mend the templates")
        html = html.replace(old, new)
    return html
