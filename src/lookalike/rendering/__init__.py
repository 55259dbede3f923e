"""Numbers, colours, maps over pictures, sheets, charts and pages; knows no explanation."""
