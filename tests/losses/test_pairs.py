import pytest
import torch

from lookalike.errors import UsageError
from lookalike.losses.pairs import check_labels, mean_over, pairs_with_classes


def test_a_class_is_positive_with_its_own_proxy_alone():
    positive, negative = pairs_with_classes(torch.tensor([2, 0]), classes=3)
    assert positive.tolist() == [[False, False, True], [True, False, False]]
    assert torch.equal(negative, ~positive)


def test_mean_over_is_of_the_pairs_kept_in_each_group():
    terms = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])
    kept = torch.tensor([[True, False], [False, True]])
    assert mean_over(terms, kept).tolist() == [2.5, 6.5]


def test_mean_over_nothing_is_zero_with_history():
    terms = torch.ones(1, 2, 2, requires_grad=True)
    mean_over(terms, torch.zeros(2, 2, dtype=torch.bool)).sum().backward()
    assert torch.equal(terms.grad, torch.zeros(1, 2, 2))


@pytest.mark.parametrize("label", [-1, 3, 7])
def test_labels_out_of_range_are_named(label):
    with pytest.raises(UsageError, match=rf"from 0 to 2, got \[{label}\]"):
        check_labels(torch.tensor([0, label, 2]), classes=3)


def test_labels_in_range_pass():
    check_labels(torch.tensor([0, 1, 2]), classes=3)
