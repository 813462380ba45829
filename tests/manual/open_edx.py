"""Serves a SCORM package in the SCORM block of Open edX, to be tried by hand: see open_edx.md.

Runs in an environment of its own, not in .venv: nothing of it is needed for the project or its tests.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ADDRESS = "127.0.0.1:8917"


def main(package: Path, has_score: bool) -> None:
    data = package.resolve().read_bytes()
    folder = tempfile.mkdtemp(prefix="xblock-")
    os.chdir(folder)
    Path("var").mkdir()
    Path("workbench/static/djpyfs").mkdir(parents=True)
    os.environ["DJANGO_SETTINGS_MODULE"] = "workbench.settings"
    django: Any = importlib.import_module("django")
    django.setup()
    settings: Any = importlib.import_module("django.conf").settings
    settings.MEDIA_ROOT, settings.MEDIA_URL = folder, "/media/"
    block: Any = importlib.import_module("openedxscorm").ScormXBlock
    # The scenario that comes with the block names it otherwise than the block itself does.
    # What the workbench does not have: settings of the block, an older place for packages.
    block.xblock_settings, block.extract_old_folder_base_path = {"PROXY_ASSETS_LMS": False}, "before"
    block.workbench_scenarios = staticmethod(lambda: [("SCORM", "<scorm/>")])
    management: Any = importlib.import_module("django.core.management")
    management.call_command("migrate", run_syncdb=True, verbosity=0)
    scenarios: Any = importlib.import_module("workbench.scenarios")
    runtime: Any = importlib.import_module("workbench.runtime")
    webob: Any = importlib.import_module("webob")
    scenario = scenarios.get_scenarios()["scorm.0"]
    given = {
        "display_name": package.stem,
        "width": "",
        "height": "700",
        "has_score": str(int(has_score)),
        "enable_navigation_menu": "0",
        "enable_fullscreen_button": "1",
        "navigation_menu_width": "",
        "weight": "1",
        "popup_on_launch": "0",
        "file": (package.name, data),
    }
    studio = runtime.WorkbenchRuntime("teacher").get_block(scenario.usage_id)
    answer = studio.studio_submit(webob.Request.blank("/", POST=given), "")
    studio.save()
    print(answer.body.decode())
    print(f"http://{ADDRESS}/scenario/scorm.0/?student=1 is the lesson as a learner sees it; stop with Ctrl+C")
    print(f"what is kept stands below {folder}", flush=True)
    management.call_command("runserver", ADDRESS, use_reloader=False, use_threading=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--score"]):
        raise SystemExit("give a package, e.g. site/downloads/scorm12-article.zip, and --score if it sends one")
    main(Path(sys.argv[1]), len(sys.argv) == 3)
