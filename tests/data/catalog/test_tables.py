from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.tables import Columns
from lookalike.errors import CatalogError


@pytest.fixture
def csv_file(tmp_path):
    def write(content: str | bytes, name: str = "catalog.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def labels(catalog: Catalog) -> list[str]:
    return [catalog.class_name(i) for i in range(len(catalog))]


def problems(path: Path, columns: Columns | None = None) -> list[str]:
    """The lines of the error, without the first and without indents."""
    with pytest.raises(CatalogError) as caught:
        Catalog.from_csv(path, columns=columns or Columns())
    head, *lines = str(caught.value).splitlines()
    assert head.startswith(f"{path}: bad rows: ")
    return [line.strip() for line in lines]


def test_all_columns(csv_file):
    path = csv_file(
        "path,label,split,group,role,box,extra\n"
        "a.jpg,cat,train,day,,0 1 10.5 20,whatever\n"
        "b.jpg, dog ,test,, Query ,,\n"
    )
    catalog = Catalog.from_csv(path)
    assert catalog.root == path.parent
    assert catalog.paths == ("a.jpg", "b.jpg")
    assert labels(catalog) == ["cat", "dog"]
    assert catalog.splits == ("train", "test")
    assert catalog.groups == ("day", None)
    assert catalog.roles == (None, "query")
    np.testing.assert_array_equal(catalog.boxes[0], [0, 1, 10.5, 20])
    assert np.isnan(catalog.boxes[1]).all()
    np.testing.assert_array_equal(catalog.rows, [2, 3])


@pytest.mark.parametrize(
    "content",
    [
        b"path,label\na b.jpg,cat\n\xc3\xa9.jpg,dog\n",
        b"\xef\xbb\xbfpath,label\r\na b.jpg,cat\r\n\xc3\xa9.jpg,dog\r\n",
        b"path;label\na b.jpg;cat\n\xc3\xa9.jpg;dog",
        b"path\tlabel\ra b.jpg\tcat\r\xc3\xa9.jpg\tdog\r",
        b"\n\n label , path \n\ncat,a b.jpg\n\n\ndog,\xc3\xa9.jpg\n\n",
        b'"path","label"\n"a b.jpg","cat"\n"\xc3\xa9.jpg","dog"\n',
    ],
    ids=["plain", "bom-crlf", "semicolon", "tab-cr", "blank-lines", "quoted"],
)
def test_dialects(csv_file, content):
    catalog = Catalog.from_csv(csv_file(content))
    assert catalog.paths == ("a b.jpg", "é.jpg")
    assert labels(catalog) == ["cat", "dog"]


def test_quotes_hold_separators_and_line_ends(csv_file):
    path = csv_file('path,label\n"a,b;c.jpg","Smith, ""J"""\n"two\nlines.jpg",x\nd.jpg,\n')
    with pytest.raises(CatalogError, match="line 5: no label"):  # as an editor counts
        Catalog.from_csv(path)
    path = csv_file('path,label\n"a,b;c.jpg","Smith, ""J"""\n"two\nlines.jpg",x\nd.jpg,y\n')
    catalog = Catalog.from_csv(path)
    assert catalog.paths == ("a,b;c.jpg", "two\nlines.jpg", "d.jpg")
    assert labels(catalog)[0] == 'Smith, "J"'
    np.testing.assert_array_equal(catalog.rows, [2, 3, 5])


def test_large_ids_stay_exact(csv_file):
    big = [2**24, 2**24 + 1, 2**53 + 1, 2**63]
    path = csv_file("path,label\n" + "".join(f"{i}.jpg,{label}\n" for i, label in enumerate(big)))
    assert Catalog.from_csv(path).class_names == tuple(str(label) for label in big)


def test_paths_begin_at_the_file_or_at_the_root(csv_file, tmp_path):
    path = csv_file(f"path,label\nsub/a.jpg,x\n{tmp_path}/abs.jpg,y\n")
    assert Catalog.from_csv(path).path(0) == tmp_path / "sub/a.jpg"
    catalog = Catalog.from_csv(path, root="/elsewhere")
    assert catalog.path(0) == Path("/elsewhere/sub/a.jpg")
    assert catalog.path(1) == tmp_path / "abs.jpg"


def test_columns_can_have_other_names(csv_file):
    path = csv_file("file,breed,style,split,l,t,r,b\na.jpg,cat,ink,train,1,2,3,4\nb.jpg,x,,,,,,\n")
    columns = Columns(
        path="file", label="breed", group="style", split=None, corners=("l", "t", "r", "b")
    )
    catalog = Catalog.from_csv(path, columns=columns)
    assert labels(catalog) == ["cat", "x"]
    assert catalog.groups == ("ink", None)
    assert catalog.splits == (None, None)
    np.testing.assert_array_equal(catalog.boxes[0], [1, 2, 3, 4])
    assert np.isnan(catalog.boxes[1]).all()


def test_one_column_can_serve_twice(csv_file):
    catalog = Catalog.from_csv(csv_file("path,label\na.jpg,x\n"), columns=Columns(group="label"))
    assert catalog.groups == ("x",)


@pytest.mark.parametrize(
    ("header", "columns", "message"),
    [
        ("image,class", Columns(), "no column path, label; it has: image, class"),
        ("path,class", Columns(), r"no column label; .*Columns\(label=\.\.\.\)"),
        ("path,label", Columns(group="style"), "no column style"),
        ("path,label,x1,y1", Columns(), "no column x2, y2"),
        ("path,label,label", Columns(), "column label is there more than once"),
        ("path,label,box,x1,y1,x2,y2", Columns(), "boxes are there twice"),
        ('path,"label', Columns(), "no column path, label"),
    ],
)
def test_headers_that_cannot_be_read(csv_file, header, columns, message):
    path = csv_file(header + "\n")
    with pytest.raises(CatalogError, match=message) as caught:
        Catalog.from_csv(path, columns=columns)
    assert str(path) in str(caught.value)


def test_every_bad_row_in_one_error(csv_file):
    path = csv_file(
        "path,label,role,box\n"
        ",cat,,\n"
        "b.jpg,,,\n"
        "c.jpg,NaN,,\n"
        "d.jpg,cat,probe,\n"
        "e.jpg,cat,,1 2 3\n"
        "f.jpg,cat,,1 2 three 4\n"
        "g.jpg,cat,,5 5 5 9\n"
        "h.jpg,cat,,0 0 inf 9\n"
        "ok.jpg,cat,,\n"
        "./ok.jpg,dog,,\n"
        "short.jpg,cat\n"
        'j.jpg,"cat"x,,\n'
        "zero\0.jpg,,probe,0 0 0 0\n"
    )
    assert problems(path) == [
        "line 2: no path",
        "line 3: no label (empty or NaN)",
        "line 4: no label (empty or NaN)",
        "line 5: role 'probe' is neither query nor gallery",
        "line 6: box '1 2 3' is not four numbers: left top right bottom",
        "line 7: box '1 2 three 4' is not four numbers: left top right bottom",
        "line 8: box '5 5 5 9' has no area: right must exceed left, and bottom exceed top",
        "line 9: box '0 0 inf 9' holds a number that is not finite",
        "line 11: the picture of line 10 again (./ok.jpg)",
        "line 12: 2 cells, but 4 columns",
        "and 2 more",
    ]


def test_several_faults_of_one_row_and_an_open_quote(csv_file):
    path = csv_file('path,label,role,box\nzero\0.jpg,,probe,0 0 0 0\na.jpg,"cat,,\nb.jpg,dog,,\n')
    first, last = problems(path)
    assert first == (
        "line 2: the path holds a zero byte; no label (empty or NaN); role 'probe' is neither "
        "query nor gallery; box '0 0 0 0' has no area: right must exceed left, and bottom exceed "
        "top"
    )
    assert last == "line 3: a quote is opened and never closed"


def test_one_picture_may_stand_twice_with_different_boxes(csv_file, tmp_path):
    path = csv_file(
        "path,label,x1,y1,x2,y2\na.jpg,cat,0,0,5,5\na.jpg,dog,5,0,9,5\n"
        f"{tmp_path}/a.jpg,eel,0,0,5,5\n"
    )
    assert problems(path) == [f"line 4: the picture of line 2 again ({tmp_path}/a.jpg)"]


@pytest.mark.parametrize("box", ["1 2 3 4", "1,2,3,4", "[1.0, 2, 3e0, 4]", "(1; 2; 3; 4)"])
def test_ways_to_write_a_box(csv_file, box):
    catalog = Catalog.from_csv(csv_file(f'path,label,box\na.jpg,cat,"{box}"\n'))
    np.testing.assert_array_equal(catalog.boxes, [[1, 2, 3, 4]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \r\n", "the file is empty"),
        (b"path,label\n", "no rows below the column names"),
        ("path,label\na.jpg,Café\n".encode("latin-1"), "not UTF-8: line 2 has byte 0xe9"),
        ("path,label\na.jpg,cat\n".encode("utf-16"), "not UTF-8: it is UTF-16"),
    ],
)
def test_files_that_are_no_catalog(csv_file, content, message):
    with pytest.raises(CatalogError, match=message):
        Catalog.from_csv(csv_file(content))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CatalogError, match=r"gone\.csv: cannot read the catalog: No such file"):
        Catalog.from_csv(tmp_path / "gone.csv")


def parquet(path: Path, columns: dict[str, object]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet(tmp_path):
    path = parquet(
        tmp_path / "c.parquet",
        {
            "path": ["a.jpg", "b.jpg"],
            "label": pa.array([2**53 + 1, 7], pa.int64()),
            "split": pa.array(["train", "test"]).dictionary_encode(),
            "group": pa.array([None, 3.0]),
            "box": [[0.0, 0.5, 2.0, 2.0], None],
            "other": [b"x", b"y"],
        },
    )
    catalog = Catalog.from_parquet(path)
    assert catalog.class_names == ("7", "9007199254740993")
    assert catalog.splits == ("train", "test")
    assert catalog.groups == (None, "3")
    np.testing.assert_array_equal(catalog.boxes[0], [0, 0.5, 2, 2])
    assert np.isnan(catalog.boxes[1]).all()
    np.testing.assert_array_equal(catalog.rows, [0, 1])
    assert catalog.path(0) == tmp_path / "a.jpg"


def test_parquet_problems_name_rows_from_0(tmp_path):
    path = parquet(tmp_path / "c.parquet", {"path": ["a", "b", "a"], "label": [float("nan"), 1, 2]})
    with pytest.raises(CatalogError, match=r"row 0: no label \(empty or NaN\)"):
        Catalog.from_parquet(path)
    path = parquet(tmp_path / "d.parquet", {"path": ["a", "b", "a"], "label": ["x", "y", "z"]})
    with pytest.raises(CatalogError, match=r"row 2: the picture of row 0 again"):
        Catalog.from_parquet(path)


def test_parquet_that_is_none_or_of_the_wrong_type(tmp_path):
    (tmp_path / "text.parquet").write_text("path,label\n")
    with pytest.raises(CatalogError, match=r"text\.parquet: cannot read the Parquet file"):
        Catalog.from_parquet(tmp_path / "text.parquet")
    with pytest.raises(CatalogError, match=r"gone\.parquet: cannot read the Parquet file"):
        Catalog.from_parquet(tmp_path / "gone.parquet")
    path = parquet(tmp_path / "bytes.parquet", {"path": ["a"], "label": [b"cat"]})
    with pytest.raises(CatalogError, match="column label holds binary"):
        Catalog.from_parquet(path)


def test_a_large_table_keeps_every_row(csv_file):
    count = 12_000
    rows = "".join(
        f"{i % 99}/{i}.jpg,{i % 2_263},{'train' if i % 2 else 'test'}\n" for i in range(count)
    )
    catalog = Catalog.from_csv(csv_file("path,label,split\n" + rows))
    assert len(catalog) == count
    np.testing.assert_array_equal(catalog.labels, np.arange(count) % 2_263)
    assert len(catalog.split("train")) == count // 2
