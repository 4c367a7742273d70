package symbol_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"reasonix/core/internal/symbol"
)

// cut is a text in which « and » stand around what one symbol takes.
type cut struct {
	name   string // of the file
	symbol string // kind parent.name, the kind and parent as listed
	text   string
}

func (c cut) check(t *testing.T) {
	t.Helper()
	want := strings.NewReplacer("«", "", "»", "").Replace(c.text)
	got := c.find(t, want)
	if got.Unsure != "" {
		t.Errorf("%s: unsure: %s", c.symbol, got.Unsure)
	}
	if marked := want[:got.Start] + "«" + want[got.Start:got.End] + "»" + want[got.End:]; marked != c.text {
		t.Errorf("%s: got\n%s\nwant\n%s", c.symbol, marked, c.text)
	}
}

// find is the one symbol that is called so.
func (c cut) find(t *testing.T, text string) symbol.Symbol {
	t.Helper()
	list, err := symbol.List(c.name, text)
	if err != nil {
		t.Fatal(err)
	}
	var found []symbol.Symbol
	for _, s := range list {
		label, _, _ := strings.Cut(s.String(), " at line")
		if label == c.symbol {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%q is there %d times in %v", c.symbol, len(found), list)
	}
	return found[0]
}

func TestGo(t *testing.T) {
	const file = "// Package p.\npackage p\n\nimport \"fmt\"\n\n// A is.\n//\n//go:noinline\nfunc A() { fmt.Println(\"}\") }\n\n/* on T */\nfunc (t *T[K]) A() int {\n\treturn 1 // }\n}\n\n" +
		"// grouped\nconst (\n\t// One is.\n\tOne = 1 // one\n\tTwo = 2\n)\n\nvar (\n\tonly int\n)\n\ntype T[K any] struct {\n\ta int\n}; // tail\n\nvar a, b = 1, 2\n\nconst (\n\tX = iota\n\tY\n\tZ\n)\n\nfunc one() {}; func two() {}\n"
	for _, tt := range []struct{ symbol, from, to string }{
		{"func A", "// A is.", "{ fmt.Println(\"}\") }\n"},
		{"method T.A", "/* on T */", "return 1 // }\n}\n"},
		{"const One", "\t// One is.", "// one\n"},
		{"const Two", "\tTwo", "2\n"},
		{"var only", "var (\n\tonly", "only int\n)\n"},
		{"type T", "type T", "// tail\n"},
		{"const Z", "\tZ", "Z\n"},
	} {
		start := strings.Index(file, tt.from)
		end := start + strings.Index(file[start:], tt.to) + len(tt.to)
		cut{"a.go", tt.symbol, file[:start] + "«" + file[start:end] + "»" + file[end:]}.check(t)
		crlf := strings.ReplaceAll(file[:start]+"«"+file[start:end]+"»"+file[end:], "\n", "\r\n")
		cut{"a.go", tt.symbol, crlf}.check(t)
	}
	for name, word := range map[string]string{"var a": "together", "const X": "repeat", "const Y": "numbered by iota", "func one": "shares a line", "func two": "shares a line"} {
		if s := (cut{"a.go", name, file}).find(t, file); !strings.Contains(s.Unsure, word) {
			t.Errorf("%s: unsure is %q, want %q", name, s.Unsure, word)
		}
	}
	if _, err := symbol.List("a.go", "package p\nfunc {"); err == nil || !strings.Contains(err.Error(), "2:6") {
		t.Errorf("got %v, want where it does not parse", err)
	}
}

func TestPython(t *testing.T) {
	const a = "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nimport os\n\n"
	for _, c := range []cut{
		{"a.py", "func f", a + "«# doc\n@deco(\n    1,\n)\n@other\nasync def f(a,\n      b):\n    \"\"\"Doc\nat the margin\n    \"\"\"\n    if a:\n\n        return {  # }\n1\n}\n    # done\n»\n\ndef g(): pass\n"},
		{"a.py", "func g", "def f():\n  pass\n\n«def g(): pass\n»x = 1\n"},
		{"a.py", "class C", "«class C(B):\n    def f(self):\n        pass\n\n    x = 1\n»\n# about D\nclass D:\n    pass\n"},
		{"a.py", "method C.f", "class C(B):\n    x = 1\n\n«    # doc\n    def f(self):\n        def inner(): pass\n        return '''\n  '''\n»\n    def g(self): pass\n\ndef f(): pass\n"},
		{"a.py", "func last", "x = \"def last():\"\n«def last():\n\tpass»"},
		{"a.py", "func first", "#!/bin/python\n«# doc\ndef first():\n    pass\n»"},
	} {
		c.check(t)
	}
	const hides = "def f():\n    x = '''\ndef g():\n'''\n"
	if s := (cut{"a.py", "func f", hides}).find(t, hides); s.Unsure == "" {
		t.Error("a string that holds a header does not make it unsure")
	}
}

func TestJavaScriptAndTypeScript(t *testing.T) {
	const rest = "\nconst re = /[{/]\"/g\nlet t = `a ${ {b: `}`}.b } }`\n"
	for _, c := range []cut{
		{"a.js", "func f", "import x from 'y'\n\n«/** doc {\n */\nexport default async function* f(a = {}) {\n  if (a) { return /}/ }\n  return `}${'}'}`\n}\n»" + rest},
		{"a.js", "const arrow", rest + "«const arrow = (x) =>\n  x.map(y => {\n    return y\n  })\n»const next = 1\n"},
		{"a.js", "const g", "«export const g = async () => {\n};\n»" + rest},
		{"a.js", "let t", "const re = 1\n«let t = `a ${ {b: `}`}.b } }`\n»f(() => { var t = 2 })\n"},
		{"a.js", "class C", "«class C extends B {\n  #x = 1\n  get y() { return 1 }\n}\n»" + rest},
		{"a.js", "method C.y", "class C {\n  static x = {\n    a: 1\n  }\n«  // doc\n  static async *y(a) {\n    return 1\n  }\n»  y2() {}\n}\n"},
		{"a.js", "field C.x", "class C {\n«  static x = {\n    a: 1\n  }\n»  y() {}\n}\n"},
		{"a.js", "method C.get", "class C {\n  a = 1;\n«  get() {\n  }\n»}\n"},
		{"a.ts", "func f", "«export function f<T>(a: T): { b: T } {\n  return { b: a }\n}\n»" + rest},
		{"a.ts", "interface I", "«export interface I<T> extends J {\n  a(): void\n  b?: string\n}\n»" + rest},
		{"a.ts", "type U", "«type U =\n  | { a: 1 }\n  | B<string, C>\n»type V = 1;\n"},
		{"a.ts", "enum E", "«export const enum E { A, B }\n»" + rest},
		{"a.ts", "method C.m", "@Component({\n  a: '}',\n})\nexport class C {\n  constructor(private a: B) {}\n\n«  @Input()\n  m<T>(x?: T): Promise<T> {\n    return x\n  }\n»}\n"},
		{"a.ts", "class C", "«@Component({\n  a: '}',\n})\nexport class C {\n}\n»"},
		{"a.ts", "method I.a", "interface I {\n«  a(b: string): void;\n»  c: number\n}\n"},
		{"a.ts", "func f", "namespace N {\n«  export function f() {\n  }\n»}\n"},
	} {
		c.check(t)
	}
	const several = "const a = 1, b = 2;\nconst c = f(1, [2, 3]);\n"
	if s := (cut{"a.js", "const a", several}).find(t, several); s.Unsure == "" {
		t.Error("one of two names may be cut")
	}
	cut{"a.js", "const c", "const a = 1, b = 2;\n«const c = f(1, [2, 3]);\n»"}.check(t)
}

func TestJavaAndCSharp(t *testing.T) {
	const head = "package a.b;\n\nimport x.Y;\n\n"
	for _, c := range []cut{
		{"A.java", "class A", head + "«/** doc } */\n@Foo(\"}\")\npublic final class A<T extends B> implements C, D {\n    char c = '}';\n}\n»\ninterface E { void f(); }\n"},
		{"A.java", "method A.f", head + "class A {\n    private int x;\n\n«    // doc\n    @Override\n    public <T> Map<String, List<T>>\n    f(int a, String... b) throws X {\n        if (a > 1) { return \"}\\\"\"; }\n        return \"\"\"\n  \"x\"\n            \"\"\";\n    }\n»\n    A() {}\n}\n"},
		{"A.java", "method A.A", "class A {\n    enum K { A(1), B; int v; }\n«    A() { super(); }\n»    int f() { return 1; }\n}\n"},
		{"A.java", "field A.m", "class A {\n«    private final Map<String, Integer> m = new HashMap<String, Integer>() {{ put(\"a\", 1); }};\n»    int y;\n}\n"},
		{"A.java", "record P", "«public record P(int a, String b) {\n}\n»"},
		{"A.java", "method I.g", "interface I {\n    void f();\n«    default void g() {\n    }\n»}\n"},
		{"a.cs", "class A", "using X;\n\nnamespace N\n{\n«    /// <summary>doc</summary>\n    [Serializable]\n    public class A : B\n    {\n    }\n»}\n"},
		{"a.cs", "method A.F", "namespace N;\nclass A {\n#region r\n«    [Fact]\n    public async Task<int> F(string s = @\"\"\"}\") => s.Length switch\n    {\n        1 => 2,\n    };\n»#endregion\n}\n"},
		{"a.cs", "field A.P", "class A {\n«    public int P { get; set; } = 5;\n»    public int Q => 1;\n}\n"},
		{"a.cs", "field A.Q", "class A {\n    public int P { get; set; }\n«    public string Q => $\"{{}} {P + \"}\"}\";\n»}\n"},
		{"a.cs", "method A.G", "class A {\n    string r = \"\"\"\n  } \"quoted\"\n  \"\"\";\n«    void G()\n    {\n    }\n»}\n"},
	} {
		c.check(t)
	}
}

func TestC(t *testing.T) {
	const head = "#include <a.h>\n#define M(x) { \\\n  x\n\n"
	for _, c := range []cut{
		{"a.c", "func main", head + "«/* doc */\nstatic int\nmain(int argc, char **argv)\n{\n\tchar c = '}';\n\tif (c == '\\'') { return 1; }\n}\n»\nint x;\n"},
		{"a.c", "variable x", head + "«static const int x[] = { 1, 2 };\n»int f(void);\n"},
		{"a.c", "declaration f", "«int f(void);\n»int g(void) { return 1; }\n"},
		{"a.c", "struct s", "«struct s {\n\tint a;\n};\n»struct s *make(void) { return 0; }\nstruct s v = { 1 };\n"},
		{"a.c", "func make", "struct s { int a; };\n«struct s *make(void) { return 0; }\n»"},
		{"a.c", "typedef S", "«typedef struct {\n\tint a;\n} S;\n»typedef int (*F)(int);\n"},
		{"a.c", "typedef F", "«typedef int (*F)(int);\n»"},
		{"a.c", "enum e", "«enum e { A, B };\n»"},
		{"a.cpp", "class A", "namespace n {\n\n«// doc\ntemplate <class T, int N = 1>\nclass A : public B<T> {\n public:\n  A() : a{1}, b(2) {}\n  ~A();\n private:\n  int a;\n};\n»\n}  // namespace n\n"},
		{"a.cpp", "method A.A", "class A {\n public:\n«  A() : a{1}, b(2) {\n  }\n»  ~A() = default;\n  int a;\n};\n"},
		{"a.cpp", "method A.f", "class A {\n public:\n«  virtual int f(int x = g({1})) const override;\n»};\n"},
		{"a.cpp", "func A.f", "«template <typename T>\nint A::f() const {\n  auto s = R\"x(})\")x\";\n  return 1'000;\n}\n»int f() { return 1; }\n"},
		{"a.h", "func k", "extern \"C\" {\n«inline int k() { return 1; }\n»int l();\n}\n"},
	} {
		c.check(t)
	}
}

func TestPreprocessorConditionsAreNotCut(t *testing.T) {
	const file = "#ifdef A\nstatic\n#endif\nint f(void) {\n}\n\nint g(void) {\n#if B\n\treturn 1;\n#else\n\treturn 2;\n#endif\n}\n"
	if s := (cut{"a.c", "func f", file}).find(t, file); !strings.Contains(s.Unsure, "preprocessor") {
		t.Errorf("unsure is %q", s.Unsure)
	}
	if s := (cut{"a.c", "func g", file}).find(t, file); s.Unsure != "" {
		t.Errorf("unsure is %q", s.Unsure)
	}
}

func TestRust(t *testing.T) {
	const head = "#![allow(dead_code)]\n//! crate\nuse a::{b, c};\n\n"
	for _, c := range []cut{
		{"a.rs", "func f", head + "«/// doc\n#[inline]\npub(crate) async unsafe fn f<'a, T: Iterator<Item = u8>>(x: &'a str, c: char) -> Vec<T>\nwhere\n    T: X,\n{\n    let s = r#\"}\"#; let c = '}'; let d = '\\'';\n    /* } /* } */ } */\n}\n»\nfn g() {}\n"},
		{"a.rs", "func g", "#![allow(x)]\n«fn g() {}\n»"},
		{"a.rs", "struct S", "«#[derive(A, B)]\nstruct S<'a> {\n    a: &'a str,\n}\n»\nimpl<'a> S<'a> {\n    fn n() {}\n}\n"},
		{"a.rs", "struct U", "«pub struct U(u8);\n»struct V;\n"},
		{"a.rs", "func S.n", "struct S;\n\nimpl<'a> S<'a> {\n    const K: u8 = 1;\n«    /// doc\n    fn n(&self) {\n    }\n»}\n\nimpl fmt::Display for a::T<u8> {\n    fn n(&self) {}\n}\n"},
		{"a.rs", "func T.n", "impl fmt::Display for a::T<u8> {\n«    fn n(&self) {}\n»}\nfn n() {}\n"},
		{"a.rs", "const K", "«pub const K: [u8; 2] = [\n    1, 2,\n];\n»static L: Lazy<u8> = Lazy::new(|| { 1 });\n"},
		{"a.rs", "static L", "const K: u8 = 1;\n«static L: Lazy<u8> = Lazy::new(|| { 1 });\n»"},
		{"a.rs", "func m", "«macro_rules! m {\n    ($x:expr) => { $x };\n}\n»m! { x }\n"},
		{"a.rs", "func tests.t", "#[cfg(test)]\nmod tests {\n    use super::*;\n«    #[test]\n    fn t() {}\n»}\n"},
		{"a.rs", "mod tests", "fn f() {}\n\n«#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n»"},
	} {
		c.check(t)
	}
}

func TestPHP(t *testing.T) {
	for _, c := range []cut{
		{"a.php", "func f", "<p>it's { </p>\n<?php\nnamespace A;\n\n«/** doc */\nfunction &f(array $a = []): ?string {\n    # }\n    return \"{$a['}']} }\" . '}';\n}\n»\nfunction g() {}\n?>\n<b>}</b>\n"},
		{"a.php", "func f", "<?php\n«function f() {\n    return <<<EOT\n    } it's\n    EOT . '}';\n}\n»function g() {}\n"},
		{"a.php", "field C.x", "<?php\nclass C {\n«    private ?int $x = 1;\n»    const K = 1;\n}\n"},
		{"a.php", "const C.K", "<?php\nclass C {\n«    public const K = ['a' => 1];\n»}\n"},
		{"a.php", "class C", "<?php\n«#[Attr('}')]\nfinal class C extends B implements D {\n}\n»"},
		{"a.php", "func C.m", "<?php\nclass C {\n«    #[Pure]\n    public static function m(): void\n    {\n    }\n»}\n"},
	} {
		c.check(t)
	}
}

func TestKotlin(t *testing.T) {
	for _, c := range []cut{
		{"a.kt", "func f", "package a\n\n«/** doc */\n@Foo(\"}\")\nprivate suspend fun <T> f(a: T, b: () -> Unit = {}): Map<String, T> {\n    val s = \"${a.let { \"}\" }} }\"\n    return \"\"\"\n  } \"\n    \"\"\"\n}\n»\nfun g() = 1\n"},
		{"a.kt", "func g", "fun f() {}\n«fun g(x: Int) =\n    when (x) {\n        1 -> 2\n        else -> 3\n    }\n»fun h() = 1\n"},
		{"a.kt", "func h", "fun g() = 1\n«fun h() = listOf(1)\n    .map { it }\n»val x = 1\n"},
		{"a.kt", "func String.ext", "«fun String.ext(): Int = length\n»"},
		{"a.kt", "class C", "«@Foo\ndata class C(\n    val a: Int,\n) : B() {\n    val x = '}'\n}\n»class D\n"},
		{"a.kt", "class D", "class C(val a: Int)\n«class D\n»\nclass E : D()\n"},
		{"a.kt", "func C.m", "class C {\n    companion object {\n        fun n() {}\n    }\n«    override fun m() {\n    }\n»}\n"},
		{"a.kt", "val C.p", "class C {\n«    val p: Int\n        get() = 1\n»    var q = 2\n}\n"},
		{"a.kt", "func is it", "«fun `is it`() {\n}\n»"},
	} {
		c.check(t)
	}
}

func TestSwift(t *testing.T) {
	for _, c := range []cut{
		{"a.swift", "func f", "import A\n\n«/// doc\n@discardableResult\npublic func f<T>(_ a: T, b: @escaping () -> Void = {}) throws -> [T] where T: X {\n    let s = \"\\(a.map { \"}\" }) }\"\n    return \"\"\"\n  } \"\n    \"\"\"\n}\n»\nfunc g() {}\n"},
		{"a.swift", "struct S", "«public struct S: P {\n    var x: Int { 1 }\n}\n»extension S {\n    func m() {}\n}\n"},
		{"a.swift", "func S.m", "struct S {}\nextension S {\n    static let k = 1\n«    mutating func m() {\n    }\n»}\n"},
		{"a.swift", "var S.x", "struct S {\n«    private(set) var x: Int? {\n        didSet { }\n    }\n»    let y = #\"}\"#\n}\n"},
		{"a.swift", "method S.init", "class S {\n    let a = 1\n«    required init?(a: Int) {\n    }\n»    class func m() {}\n}\n"},
		{"a.swift", "let y", "«let y = [1, 2]\n    .map { $0 }\n»let z = 1\n"},
	} {
		c.check(t)
	}
}

func TestRuby(t *testing.T) {
	for _, c := range []cut{
		{"a.rb", "def f", "# frozen_string_literal: true\n\n«# doc\ndef f(a)\n  x = <<~SQL\n    end\n  SQL\n  if a then 1 end\n  \"#{a.map do |b| \"end\" end}\"\nrescue X\n  2\nend\n»\ndef g?; end\n"},
		{"a.rb", "def g?", "def f\nend\n«def g?; end\n»"},
		{"a.rb", "def C.m", "module M\n  class C < B\n«    def self.m\n      1\n    end\n»\n    def n = 1\n  end\nend\n"},
		{"a.rb", "def C.n", "class C\n«  def n(x) = x + 1\n»  attr_reader :a\nend\n"},
		{"a.rb", "class C", "«class C\n  class << self\n    def k\n    end\n  end\nend\n»"},
	} {
		c.check(t)
	}
	const bad = "def f\n  x\n  end\ndef g\nend\n"
	if s := (cut{"a.rb", "def f", bad}).find(t, bad); s.Unsure == "" {
		t.Error("a header without its end may be cut")
	}
}

func TestShell(t *testing.T) {
	for _, c := range []cut{
		{"a.sh", "func f", "#!/bin/sh\n«# doc\nf() {\n  case $1 in\n    a) echo \"}\" ;; # }\n  esac\n  cat <<EOF\n  it's }\nEOF\n  x=${1#\"}\"}; y={a,b}\n  { echo; }\n}\n»g() { echo; }\n"},
		{"a.sh", "func g", "f() {\n  :\n}\n«g() { echo '}'; }\n»f\n"},
		{"a.bash", "func my-fn", "«function my-fn\n{\n  echo $(a \"$(b)\") }\n}\n»x=1\n"},
	} {
		c.check(t)
	}
}

func TestUnknownLanguage(t *testing.T) {
	if _, err := symbol.List("a.txt", "x"); !errors.Is(err, symbol.ErrLanguage) || !strings.Contains(err.Error(), ".java") {
		t.Errorf("got %v", err)
	}
	if l := symbol.Languages(); !slices.Contains(l, ".tsx") || !slices.IsSorted(l) {
		t.Errorf("got %v", l)
	}
}

// TestTimeIsBounded: texts that make scanners look ahead again and again.
func TestTimeIsBounded(t *testing.T) {
	for _, piece := range []string{"a<", "@a\n", "= {} ", "\"${", "f(){}\n", "class A {", "//x\nint b(){}\n"} {
		text := strings.Repeat(piece, 20_000/len(piece))
		for _, ext := range []string{".c", ".cpp", ".js", ".kt", ".swift", ".rs", ".sh", ".rb", ".py"} {
			start := time.Now()
			_, _ = symbol.List("x"+ext, text)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%q in %s: %v", piece, ext, took)
			}
		}
	}
}

// FuzzList: whatever the text, a symbol is whole lines of it.
func FuzzList(f *testing.F) {
	for i, text := range []string{
		"package p\nfunc A() {}\n", "class A:\n  def f(self): '''\n'''\n", "class A {\n f() { return `${`}`}` }\n}", "impl<'a> A for B { fn f() {} }",
		"<?php function f() { <<<E\n}\nE; } ?>", "f() {\n cat <<E\n}\nE\n}\n", "def f\n \"#{x}\"\nend", "template<class T> class A { A() : a{1} {} };", "fun A.f() =\n 1\nval x by y {}", "#\"x\"# func f() { \"\\(\"\\()\")\" }",
	} {
		for j := range 3 {
			f.Add(text, uint8(i+j))
		}
	}
	langs := symbol.Languages()
	f.Fuzz(func(t *testing.T, text string, lang uint8) {
		list, err := symbol.List("x"+langs[int(lang)%len(langs)], text)
		if err != nil {
			return
		}
		for _, s := range list {
			switch {
			case s.Start < 0 || s.Start > s.End || s.End > len(text):
				t.Fatalf("%v: %d to %d of %d", s, s.Start, s.End, len(text))
			case s.Start > 0 && text[s.Start-1] != '\n', s.End < len(text) && (s.End == 0 || text[s.End-1] != '\n'):
				t.Fatalf("%v: not whole lines in %q", s, text)
			case s.Line < 1 || s.Line > 1+strings.Count(text, "\n") || s.Name == "":
				t.Fatalf("%+v", s)
			}
		}
	})
}
