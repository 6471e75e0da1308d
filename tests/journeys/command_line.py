"""The frame of the command line: version, help of every command, mistakes and exit codes."""

import json
import os
import pathlib
import re
import subprocess
import unittest
import urllib.parse

from journey import FIRN, Journey, main

COMMANDS = [
    ["config"], ["config", "show"], ["config", "keys"], ["config", "init"],
    ["data"], ["data", "list"], ["data", "check"], ["data", "fetch"], ["data", "show"],
    ["train"], ["eval"], ["sweep"], ["info"], ["discretize"], ["refine"], ["diagnose"], ["report"], ["compare"],
    ["check"], ["watch"],
    ["compile"], ["predict"], ["play"], ["draw"], ["export"], ["import"], ["verify"], ["synth"],
    ["theory"], ["theory", "concentration"], ["theory", "expectations"], ["theory", "gaps"], ["theory", "bounds"],
    ["bench"], ["bench", "train"], ["bench", "infer"],
]


class CommandLine(Journey):
    def test_version_names_compiler_and_target(self):
        self.assertRegex(self.firn("--version").stdout, r"^firn \d+\.\d+\.\d+ \((g\+\+|.*[Cc]lang) .*SIMD target \w+\)\n$")

    def test_the_bill_of_materials_names_the_libraries_that_the_program_names(self):
        bill = json.loads((pathlib.Path(FIRN).resolve().parent / "firn.spdx.json").read_text(encoding="utf-8"))
        packages = {package["name"]: package for package in bill["packages"]}
        listed = [line.split() for line in self.firn("--version", "--verbose").stdout.splitlines()]
        libraries = {words[0]: words[1] for words in listed if len(words) == 3 and words[0] in packages}
        self.assertGreater(len(libraries), 10)
        for name, version in libraries.items():
            self.assertEqual(packages[name]["versionInfo"], version)
            locator = packages[name]["externalRefs"][0]["referenceLocator"]
            self.assertEqual(urllib.parse.unquote(locator).partition("@")[2], version)
            self.assertNotIn("+", locator)
        related = {relation["relatedSpdxElement"] for relation in bill["relationships"]}
        self.assertEqual(related, {package["SPDXID"] for package in bill["packages"]})

    def test_every_command_has_help(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                text = self.firn(*command, "--help").stdout
                self.assertIn("Usage: firn " + " ".join(command), text)
                self.assertIn("--help", text)

    def test_the_commands_above_are_all_there_are(self):
        for above in [[]] + [c for c in COMMANDS if len(c) == 1]:
            with self.subTest(above=above):
                text = self.firn(*above, "--help").stdout
                listed = text.split("\nExamples:")[0] if not above else text.partition("\nCommands:\n")[2].split("\n\n")[0]
                names = [[*above, name] for name in re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)]
                self.assertEqual(sorted(names), sorted(c for c in COMMANDS if c[:-1] == above))

    def test_help_of_each_level_lists_the_commands_below(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertIn(f"  {command[-1]}  ", self.firn(*command[:-1], "--help").stdout)

    def test_a_missing_command_shows_help(self):
        for command in [[], ["data"]]:
            done = self.firn(*command, code=2)
            self.assertIn("firn: a command is required", done.stderr)
            self.assertIn("Usage: firn", done.stderr)

    def test_mistyped_words_get_a_suggestion(self):
        self.assert_sentence(self.firn("dta", code=2), "unknown command dta; did you mean data?")
        self.assert_sentence(self.firn("data", "chekc", code=2), "unknown command chekc; did you mean check?")
        self.assert_sentence(self.firn("data", "list", "--data-rot", "x", code=2), "did you mean --data-root?")
        self.assert_sentence(self.firn("config", "keys", "model", "more", code=2), "unexpected argument more")
        self.assert_sentence(self.firn("config", "show", code=2), "FILE is required")

    def test_negative_numbers_do_not_wrap(self):
        for command in (["theory", "expectations", "--steps", "-1"], ["draw", "x.firn", "--cone", "-1"],
                        ["refine", "x", "--out", "y", "--seed=-1"], ["discretize", "x", "--out", "y", "--budget", "-1"]):
            self.assert_sentence(self.firn(*command, code=2), "-1 is negative; give a whole number, 0 or more")

    def test_a_closed_pipe_ends_quietly(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([FIRN, "config", "keys"], stdout=write, stderr=subprocess.PIPE, check=False)
        os.close(write)
        self.assertEqual(done.stderr, b"")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_reported(self):
        for command in (["data", "list"], ["config", "keys"]):  # less and more than one buffer
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([FIRN, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertEqual(done.stderr, "firn: cannot write the output (No space left on device)\n")


main()
