# Written by tools/release from SHA256SUMS of v[[.Version]].
class Guardrails < Formula
  desc "Hooks that judge every call of a coding agent before it runs"
  homepage "https://github.com/ec261362/guardrails"
  version "[[.Version]]"
  license "MIT"
[[range $os := words "darwin" "linux"]]
  on_[[if eq $os "darwin"]]macos[[else]]linux[[end]] do
    on_arm do
      [[- range $.Platforms]][[if on . $os "arm64"]]
      url "https://github.com/ec261362/guardrails/releases/download/v[[$.Version]]/[[.Archive]]"
      sha256 "[[.SHA256]]"
      [[- end]][[end]]
    end
    on_intel do
      [[- range $.Platforms]][[if on . $os "amd64"]]
      url "https://github.com/ec261362/guardrails/releases/download/v[[$.Version]]/[[.Archive]]"
      sha256 "[[.SHA256]]"
      [[- end]][[end]]
    end
  end
[[end]]
  def install
    bin.install "guardrails", "guardrails-full"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/guardrails.bash" => "guardrails"
    zsh_completion.install "completions/guardrails.zsh" => "_guardrails"
    fish_completion.install "completions/guardrails.fish"
    doc.install "README.md", "NOTICE", "THIRD-PARTY-LICENSES.txt"
  end

  def caveats
    <<~EOS
      Agents call a copy of this program in ~/.guardrails/bin. To make or renew it:
        guardrails init --agent claude -g
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/guardrails version")
    shell_output("#{bin}/guardrails check -- 'rm -rf ~'", 2)
    assert_match "pass", shell_output("#{bin}/guardrails check -- git status 2>&1")
  end
end
