"""Configurations: resolved, overridden, mistyped."""

from journey import Journey, main


class Config(Journey):
    def write(self, text):
        (self.folder / "run.toml").write_text(text, encoding="utf-8")
        return "run.toml"

    def test_show_is_complete_and_reads_back_the_same(self):
        first = self.firn("config", "show", self.write("seed = 7\n[data]\nsource = 'mnist'\n")).stdout
        self.assertIn("seed = 7\n", first)
        self.assertIn('source = "mnist"\n', first)
        self.assertIn("[encode]\n", first)
        self.assertEqual(self.firn("config", "show", self.write(first)).stdout, first)

    def test_set_wins_over_the_file(self):
        shown = self.firn("config", "show", self.write("seed = 7\n"), "--set", "seed=8", "--set", "name=wide").stdout
        self.assertIn("seed = 8\n", shown)
        self.assertIn('name = "wide"\n', shown)

    def test_keys_lists_what_show_prints(self):
        shown = self.firn("config", "show", self.write("")).stdout
        keys = [line.split(" = ")[0].strip() for line in self.firn("config", "keys").stdout.splitlines() if " = " in line]
        self.assertIn("data.synthetic.noise", keys)
        for key in keys:
            self.assertIn(f"\n{key.split('.')[-1]} = ", "\n" + shown)

    def test_keys_can_be_filtered(self):
        task = self.firn("config", "keys", "freeze.task").stdout
        self.assertIn("freeze.task.patience", task)
        self.assertNotIn("freeze.strategy", task)
        freeze = self.firn("config", "keys", "freeze").stdout
        self.assertIn("freeze.strategy", freeze)
        self.assertIn("freeze.task.patience", freeze)
        self.assertNotIn("\n  train.", freeze)
        self.assertIn("tree-conv", self.firn("config", "keys", "model.layer").stdout)
        self.assert_sentence(self.firn("config", "keys", "freese", code=2), "freese", "did you mean freeze?")

    def test_presets_are_known_by_name(self):
        shown = self.firn("config", "show", "treelogicnet-xs").stdout
        self.assertIn('name = "treelogicnet-xs"\n', shown)
        self.assert_sentence(self.firn("train", "treelogicnet-xx", code=3), "did you mean treelogicnet-xs?")

    def test_a_typo_is_found_where_it_is(self):
        done = self.firn("config", "show", self.write("seed = 1\n[data]\n  sorce = 'mnist'\n"), code=3)
        self.assert_sentence(done, "run.toml:3:3: unknown key data.sorce; did you mean data.source?")
        done = self.firn("config", "show", self.write("[encode]\nthresholds = 'three'\n"), code=3)
        self.assert_sentence(done, "run.toml:2:14: encode.thresholds must be an integer", 'not "three"')
        done = self.firn("config", "show", self.write("seed = \n"), code=3)
        self.assert_sentence(done, "run.toml:1:")

    def test_a_wrong_override_is_wrong_usage(self):
        file = self.write("")
        self.assert_sentence(self.firn("config", "show", file, "--set", "sead=1", code=2), "did you mean seed?")
        self.assert_sentence(self.firn("config", "show", file, "--set", "seed", code=2), "KEY=VALUE")

    def test_files_that_cannot_be_read(self):
        self.assert_sentence(self.firn("config", "show", "none.toml", code=3), "there is no file", "none.toml")
        self.assert_sentence(self.firn("config", "show", ".", code=3), ". is a folder")


main()
