"""Sphinx's settings for the site; its sources are what build.py has put together."""
from pygments.lexers.special import TextLexer

project = "numjit"
copyright = "the authors of numjit, MIT licence"
extensions = ["myst_parser", "sphinx_inline_tabs"]
root_doc = "index"
highlight_language = "text"
html_theme = "furo"
html_title = "numjit"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"sidebar_hide_name": False, "navigation_with_keys": False}
# Of both styles each colour keeps the contrast that WCAG asks for.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
toc_object_entries = False  # hundreds of functions in the navigation of each page
myst_heading_anchors = 4
nitpicky = True
# Fences in pages hold fragments, too, whose colours may be wrong.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]


def accessible(app, pagename, templatename, context, doctree):
    """What scrolls can be reached with the keyboard, and headings in the navigation have a level."""
    context["body"] = context.get("body", "").replace("<pre>", '<pre tabindex="0">').replace(
        '<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    context["furo_navigation_tree"] = context["furo_navigation_tree"].replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app):
    app.add_lexer("output", TextLexer)
    app.connect("html-page-context", accessible, priority=900)
