"""Builds the extension with CMake, in Firn's own build tree where that was made for this interpreter.

    pip install --no-build-isolation ./python

FIRN_BUILD names another build folder.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "_firn" + sysconfig.get_config_var("EXT_SUFFIX")


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = pathlib.Path(os.environ.get("FIRN_BUILD", ROOT / "build" / "release"))
        if not (folder / "python" / "firn" / NAME).exists():  # that of another interpreter, or none
            folder = ROOT / "build" / f"pip-{sys.implementation.cache_tag}"
            subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                            "-DFIRN_BUILD_TESTS=OFF", "-DFIRN_BUILD_BENCH=OFF", f"-DFIRN_PYTHON={sys.executable}"],
                           check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "firn_python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / "python" / "firn" / NAME, target)


# What setuptools leaves behind goes to the build folder as well.
left = ROOT / "build" / "setuptools"
left.mkdir(parents=True, exist_ok=True)
version = re.search(r"project\(firn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
setup(version=version, ext_modules=[Extension("firn._firn", sources=[])], cmdclass={"build_ext": CMakeBuild},
      options={"build": {"build_base": str(left)}, "egg_info": {"egg_base": str(left)}})
