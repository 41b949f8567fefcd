"""What surrounds attention in a transformer block: norms, feed-forward layers, and the residual sums.

A token is a vector of width d, its row in a matrix of shape (n, d). Norms and feed-forward layers are functions
of one vector, so no token sees another in them; attention alone is a function of the matrix. Rows are multiplied
by weights from the right. Variances are those of the numbers at hand: divided by d, not by d - 1.

Sources: Ba, Kiros and Hinton (2016), "Layer Normalization"; Zhang and Sennrich (2019), "Root Mean Square Layer
Normalization"; He et al. (2016), "Deep Residual Learning for Image Recognition" (the residual sum); Vaswani et
al. (2017), "Attention Is All You Need", sections 3.1 and 3.3 (the block, post-norm, and its feed-forward layer);
Xiong et al. (2020), "On Layer Normalization in the Transformer Architecture" (pre-norm and post-norm); Hendrycks
and Gimpel (2016), "Gaussian Error Linear Units (GELUs)" (GELU in both forms, and SiLU); Shazeer (2020), "GLU
Variants Improve Transformer" (gated feed-forward layers); Ainslie et al. (2023), "GQA: Training Generalized
Multi-Query Transformer Models from Multi-Head Checkpoints" (fewer heads of keys and values).
"""

import math
from collections.abc import Callable

from nextword.arguments import require_flag, require_function, require_number, require_whole_number
from nextword.matrices import (
    Matrix,
    Vector,
    add,
    refuse_infinities,
    require_factors,
    require_matrix,
    require_same_shape,
    require_same_width,
    require_vector,
    vector_matrix,
)

EPS = 1e-5
"""What norms add to the mean square before its root: a vector without any spread then gives zeros."""

LARGEST_TO_SQUARE = 1e150
"""The largest size of a number that norms take: the sum of such squares is far from the end of all floats."""

VectorFunction = Callable[[Vector], Vector]
"""A function of one token: from width d to width d."""

MatrixFunction = Callable[[Matrix], Matrix]
"""A function of all tokens at once: from shape (n, d) to shape (n, d)."""


def require_squares(name: str, vector: Vector) -> None:
    """Refuse a vector whose numbers cannot be squared and summed.

    Args:
        name: what the caller's argument is called, for the message.
        vector: the argument.

    Raises:
        ValueError: it is no vector, or a number is larger than ``LARGEST_TO_SQUARE`` in size.
    """
    require_vector(name, vector)
    for number in vector:
        if abs(float(number)) > LARGEST_TO_SQUARE:  # float: a narrow NumPy type may lack the limit
            raise ValueError(f"{name} must hold numbers of size up to {LARGEST_TO_SQUARE}, not {number!r}")


def require_norm(x: Vector, gamma: Vector | None, beta: Vector | None, eps: float) -> None:
    """Refuse what a norm cannot compute with.

    Args:
        x: the argument of that name.
        gamma: the argument of that name.
        beta: the argument of that name.
        eps: the argument of that name.

    Raises:
        ValueError: an argument is no vector, ``gamma`` or ``beta`` is not as wide as ``x``, a number is
            larger than ``LARGEST_TO_SQUARE`` in size, or ``eps`` is no finite number of at least 0.
    """
    require_squares("x", x)
    for name, vector in (("gamma", gamma), ("beta", beta)):
        if vector is not None:
            require_squares(name, vector)
            require_same_width(name, [vector], "x", [x])
    require_number("eps", eps, at_least=0)


def layer_norm(
    x: Vector,
    gamma: Vector | None = None,
    beta: Vector | None = None,
    eps: float = EPS,
) -> Vector:
    """Subtract a vector's mean, divide by its spread; stretch and shift.

    The mean and the spread are those of the d numbers of this one token. So a shift of all of them and, but
    for ``eps``, a positive stretch vanish. The division is by the square root of the variance plus ``eps``.

    Source: Ba, Kiros and Hinton (2016), section 3; ``eps`` inside the root as in PyTorch.

    Args:
        x: width d.
        gamma: width d, learned: what each number is multiplied by at the end; None means ones.
        beta: width d, learned: what is added to each number at the end; None means zeros.
        eps: any finite number of at least 0.

    Returns:
        Width d; without ``gamma`` and ``beta`` of mean 0 and, but for ``eps``, variance 1.

    Raises:
        ValueError: an argument is no vector, ``gamma`` or ``beta`` is not as wide as ``x``, a number is above
            1e150 in size, or ``eps`` is no finite number of at least 0.
        ZeroDivisionError: ``eps`` is 0, and the variance is 0 or too small for a float.

    Examples:
        >>> layer_norm([1.0, 3.0], eps=0)
        [-1.0, 1.0]
        >>> layer_norm([1.0, 3.0], gamma=[2.0, 2.0], beta=[5.0, 5.0], eps=0)
        [3.0, 7.0]
        >>> layer_norm([3.0, 3.0])
        [0.0, 0.0]
    """
    require_norm(x, gamma, beta, eps)
    d = len(x)
    mean = math.fsum(x) / d
    centred = [number - mean for number in x]
    variance = math.fsum(c * c for c in centred) / d
    root = math.sqrt(variance + eps)
    gains = [1.0] * d if gamma is None else gamma
    shifts = [0.0] * d if beta is None else beta
    rows = zip(centred, gains, shifts, strict=True)
    return [c / root * gain + shift for c, gain, shift in rows]


def rms_norm(
    x: Vector,
    gamma: Vector | None = None,
    eps: float = EPS,
) -> Vector:
    """Divide a vector by its root mean square; then stretch.

    No mean is subtracted. So a positive stretch of the vector vanishes but for ``eps``; a shift does not.

    Source: Zhang and Sennrich (2019), equation 4; ``eps`` inside the root as in Llama.

    Args:
        x: width d.
        gamma: width d, learned: what each number is multiplied by at the end; None means ones.
        eps: any finite number of at least 0.

    Returns:
        Width d; without ``gamma`` of mean square 1 but for ``eps``.

    Raises:
        ValueError: an argument is no vector, ``gamma`` is not as wide as ``x``, a number is above 1e150 in
            size, or ``eps`` is no finite number of at least 0.
        ZeroDivisionError: ``eps`` is 0, and the mean square is 0 or too small for a float.

    Examples:
        >>> rms_norm([2.0, -2.0], eps=0)
        [1.0, -1.0]
    """
    require_norm(x, gamma, None, eps)
    mean_square = math.fsum(number * number for number in x) / len(x)
    root = math.sqrt(mean_square + eps)
    gains = [1.0] * len(x) if gamma is None else gamma
    return [n / root * gain for n, gain in zip(x, gains, strict=True)]


def root_mean_square(matrix: Matrix) -> float:
    """Measure the size of a stream: the root of the mean of all squares.

    Args:
        matrix: shape (n, d).

    Returns:
        A number of at least 0.

    Raises:
        ValueError: the argument is no matrix, or a number is above 1e150 in size.

    Examples:
        >>> root_mean_square([[3.0, -3.0], [3.0, 3.0]])
        3.0
    """
    require_matrix("matrix", matrix)
    for place, row in enumerate(matrix):
        require_squares(f"row {place} of matrix", row)
    squares = [number * number for row in matrix for number in row]
    return math.sqrt(math.fsum(squares) / len(squares))


def chain_rule(
    layer: Callable[[float], float],
    derivative: Callable[[float], float],
    x: float,
    depth: int,
    residual: bool = False,
) -> tuple[float, float]:
    """Send a number through equal layers, and multiply their slopes.

    A residual layer gives x + f(x), of slope 1 + f'(x); a plain one gives f(x), of slope f'(x).

    Args:
        layer: f, from a number to a number.
        derivative: f', the derivative of f.
        x: what goes into the first layer, any finite number.
        depth: how many layers there are, at least 0.
        residual: whether each layer adds its input to its output.

    Returns:
        What comes out of the last layer, and its derivative with respect to ``x``.

    Raises:
        ValueError: ``layer`` or ``derivative`` cannot be called; ``x`` is no finite number; ``depth`` is no
            whole number of at least 0; ``residual`` is no ``bool``; what a layer gives, or the slope up to it, is
            no finite number.
        TypeError: ``layer`` or ``derivative`` gives what is no number.

    Examples:
        >>> chain_rule(lambda x: x / 2, lambda x: 0.5, 8.0, depth=3)
        (1.0, 0.125)
        >>> chain_rule(lambda x: x / 2, lambda x: 0.5, 8.0, depth=3, residual=True)
        (27.0, 3.375)
    """
    require_function("layer", layer)
    require_function("derivative", derivative)
    require_number("x", x)
    require_whole_number("depth", depth, smallest=0)
    require_flag("residual", residual)
    skip = 1.0 if residual else 0.0
    slope = 1.0
    for _ in range(depth):
        slope *= skip + derivative(x)  # at the x that enters the layer
        x = skip * x + layer(x)
        require_vector("output and slope of a layer", (x, slope))
    return x, slope


def relu(x: float) -> float:
    """Let positive numbers pass; give 0 for all others.

    Source: Nair and Hinton (2010), "Rectified Linear Units Improve Restricted Boltzmann Machines".

    Args:
        x: any finite number.

    Returns:
        A number of at least 0.

    Raises:
        ValueError: ``x`` is no finite number.

    Examples:
        >>> [relu(x) for x in (-2.0, 0.0, 3.0)]
        [0.0, 0.0, 3.0]
    """
    require_number("x", x)
    return max(0.0, x)


def gelu(x: float, form: str = "erf") -> float:
    """Multiply a number by the share of a normal distribution below it.

    The form "erf" is exact. The form "tanh" is an approximation of it, that of GPT-2.

    Source: Hendrycks and Gimpel (2016), section 2.

    Args:
        x: any finite number.
        form: "erf" or "tanh".

    Returns:
        A number of at least -0.171: near 0 for very negative x, near x for very positive x.

    Raises:
        ValueError: ``x`` is no finite number, or ``form`` is neither "erf" nor "tanh".

    Examples:
        >>> gelu(0.0), round(gelu(1.0), 6), round(gelu(1.0, form="tanh"), 6)
        (0.0, 0.841345, 0.841192)
    """
    require_number("x", x)
    if not isinstance(form, str) or form not in ("erf", "tanh"):
        raise ValueError(f"form must be 'erf' or 'tanh', not {form!r}")
    if form == "erf":
        return x / 2 * math.erfc(-x / math.sqrt(2))  # erfc(-z) = 1 + erf(z)
    bent = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return x / 2 * (1 + math.tanh(bent))


def silu(x: float) -> float:
    """Multiply a number by its logistic function, 1 / (1 + exp(-x)).

    Source: Hendrycks and Gimpel (2016), section 2; with the name Swish, Ramachandran, Zoph and Le (2017),
    "Searching for Activation Functions".

    Args:
        x: any finite number.

    Returns:
        A number of at least -0.279: near 0 for very negative x, near x for very positive x.

    Raises:
        ValueError: ``x`` is no finite number.

    Examples:
        >>> silu(0.0), round(silu(1.0), 6)
        (0.0, 0.731059)
    """
    require_number("x", x)
    if x >= 0:
        return x / (1 + math.exp(-x))
    return x * math.exp(x) / (1 + math.exp(x))  # so that exp cannot overflow


def require_linear(name: str, x: Vector, weights_name: str, weights: Matrix) -> None:
    """Refuse a vector and weights that cannot be multiplied.

    Args:
        name: what the caller's vector is called, for the message.
        x: width d.
        weights_name: what the weights are called.
        weights: shape (d, e).

    Raises:
        ValueError: an argument is no vector or no matrix, or the vector is not as wide as the weights have
            rows.
    """
    require_vector(name, x)
    require_matrix(weights_name, weights)
    require_factors(name, [x], weights_name, weights)


def require_bias(name: str, bias: Vector, weights_name: str, weights: Matrix) -> None:
    """Refuse a bias that does not fit its weights.

    Args:
        name: what the caller's bias is called, for the message.
        bias: width e.
        weights_name: what the weights are called.
        weights: shape (d, e).

    Raises:
        ValueError: an argument is no vector or no matrix, or their widths differ.
    """
    require_vector(name, bias)
    require_matrix(weights_name, weights)
    require_same_width(name, [bias], weights_name, weights)


def linear_layer(x: Vector, weights: Matrix, bias: Vector) -> Vector:
    """Multiply one token's vector by weights, and add a bias.

    Args:
        x: width d.
        weights: shape (d, e).
        bias: width e.

    Returns:
        Width e.

    Raises:
        ValueError: an argument is no vector or no matrix, or the shapes do not fit.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> linear_layer([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], [10.0, 10.0])
        [11.0, 12.0]
    """
    require_linear("x", x, "weights", weights)
    require_bias("bias", bias, "weights", weights)
    product = vector_matrix(x, weights)
    total = [p + b for p, b in zip(product, bias, strict=True)]
    refuse_infinities("a sum", [total])
    return total


def require_feed_forward(x: Vector, w_1: Matrix, b_1: Vector, w_2: Matrix, b_2: Vector) -> None:
    """Refuse what a feed-forward layer cannot compute with.

    Args:
        x: the argument of that name.
        w_1: the argument of that name.
        b_1: the argument of that name.
        w_2: the argument of that name.
        b_2: the argument of that name.

    Raises:
        ValueError: an argument is no vector or no matrix, or the shapes do not fit.
    """
    require_linear("x", x, "w_1", w_1)
    require_bias("b_1", b_1, "w_1", w_1)
    require_matrix("w_2", w_2)
    require_factors("w_1", w_1, "w_2", w_2)
    require_bias("b_2", b_2, "w_2", w_2)


def feed_forward(
    x: Vector,
    w_1: Matrix,
    b_1: Vector,
    w_2: Matrix,
    b_2: Vector,
    activation: Callable[[float], float] = relu,
) -> Vector:
    """Widen one token's vector, bend each number, and narrow it again.

    Source: Vaswani et al. (2017), equation 2.

    Args:
        x: width d_model.
        w_1: shape (d_model, d_ff); by convention d_ff is 4 d_model.
        b_1: width d_ff.
        w_2: shape (d_ff, d_model).
        b_2: width d_model.
        activation: ``relu``, ``gelu`` or another function from a number to a number.

    Returns:
        Width d_model.

    Raises:
        ValueError: an argument is no vector or no matrix, the shapes do not fit, or ``activation`` cannot be
            called or gave what is no finite number.
        OverflowError: a sum or a product is too large for a float.

    Examples:
        >>> feed_forward([3.0], [[1.0, -1.0]], [0.0, 0.0], [[2.0], [5.0]], [0.5])
        [6.5]
    """
    require_feed_forward(x, w_1, b_1, w_2, b_2)
    require_function("activation", activation)
    wide = [activation(h) for h in linear_layer(x, w_1, b_1)]
    require_vector("what activation gave", wide)
    return linear_layer(wide, w_2, b_2)


def require_gated(x: Vector, w_gate: Matrix, w_up: Matrix, w_down: Matrix) -> None:
    """Refuse what a gated feed-forward layer cannot compute with.

    Args:
        x: the argument of that name.
        w_gate: the argument of that name.
        w_up: the argument of that name.
        w_down: the argument of that name.

    Raises:
        ValueError: an argument is no vector or no matrix, or the shapes do not fit.
    """
    require_linear("x", x, "w_gate", w_gate)
    require_matrix("w_up", w_up)
    require_same_shape("w_gate", w_gate, "w_up", w_up)
    require_matrix("w_down", w_down)
    require_factors("w_up", w_up, "w_down", w_down)


def gated_feed_forward(
    x: Vector,
    w_gate: Matrix,
    w_up: Matrix,
    w_down: Matrix,
    activation: Callable[[float], float],
) -> Vector:
    """Widen one token's vector twice; one of the two is the other's gate.

    There are three weight matrices, and no biases. With ``silu`` this is SwiGLU, with ``gelu`` GeGLU, with
    ``relu`` ReGLU.

    Source: Shazeer (2020), equation 6.

    Args:
        x: width d_model.
        w_gate: shape (d_model, d_ff).
        w_up: shape (d_model, d_ff).
        w_down: shape (d_ff, d_model).
        activation: a function from a number to a number, for the gate.

    Returns:
        Width d_model.

    Raises:
        ValueError: an argument is no vector or no matrix, the shapes do not fit, or ``activation`` cannot be
            called or gave what is no finite number.
        OverflowError: a sum or a product is too large for a float.

    Examples:
        >>> gated_feed_forward([3.0], [[1.0, -1.0]], [[2.0, 2.0]], [[1.0], [1.0]], relu)
        [18.0]
    """
    require_gated(x, w_gate, w_up, w_down)
    require_function("activation", activation)
    gate = [activation(g) for g in vector_matrix(x, w_gate)]
    require_vector("what activation gave", gate)
    wide = vector_matrix(x, w_up)
    gated = [g * w for g, w in zip(gate, wide, strict=True)]
    refuse_infinities("a product with the gate", [gated])
    return vector_matrix(gated, w_down)


def swiglu(
    x: Vector,
    w_gate: Matrix,
    w_up: Matrix,
    w_down: Matrix,
) -> Vector:
    """Apply a gated feed-forward layer with ``silu`` on the gate.

    Llama does so.

    Source: Shazeer (2020), equation 6, "FFN_SwiGLU".

    Args:
        x: width d_model.
        w_gate: shape (d_model, d_ff).
        w_up: shape (d_model, d_ff).
        w_down: shape (d_ff, d_model).

    Returns:
        Width d_model.

    Raises:
        ValueError: an argument is no vector or no matrix, or the shapes do not fit.
        OverflowError: a sum or a product is too large for a float.

    Examples:
        >>> swiglu([1000.0], [[1.0, -1.0]], [[2.0, 2.0]], [[1.0], [1.0]])
        [2000000.0]
    """
    return gated_feed_forward(x, w_gate, w_up, w_down, silu)


def require_block(
    x: Matrix,
    attention: MatrixFunction,
    feed_forward: VectorFunction,
    norm_1: VectorFunction,
    norm_2: VectorFunction,
) -> None:
    """Refuse what a block cannot compute with.

    Args:
        x: the argument of that name.
        attention: the argument of that name.
        feed_forward: the argument of that name.
        norm_1: the argument of that name.
        norm_2: the argument of that name.

    Raises:
        ValueError: ``x`` is no matrix, or one of the others cannot be called.
    """
    require_matrix("x", x)
    require_function("attention", attention)
    require_function("feed_forward", feed_forward)
    require_function("norm_1", norm_1)
    require_function("norm_2", norm_2)


def pre_norm_block(
    x: Matrix,
    attention: MatrixFunction,
    feed_forward: VectorFunction,
    norm_1: VectorFunction = layer_norm,
    norm_2: VectorFunction = layer_norm,
) -> Matrix:
    """Add attention of the normalized stream, then feed-forward likewise.

    The stream itself passes through sums alone. Where a norm is left out, it is ``list``.

    Source: Xiong et al. (2020), figure 1 (b); the order of GPT-2.

    Args:
        x: shape (n, d), the stream: a row for each token.
        attention: from shape (n, d) to shape (n, d).
        feed_forward: from width d to width d, one token at a time.
        norm_1: from width d to width d, before attention.
        norm_2: from width d to width d, before the feed-forward layer.

    Returns:
        Shape (n, d).

    Raises:
        ValueError: ``x`` is no matrix, one of the others cannot be called, or what attention or the
            feed-forward layer returned is no matrix of the shape of ``x``.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> pre_norm_block([[1.0, 3.0]], lambda rows: rows, lambda row: [0.0, 0.5], list, list)
        [[2.0, 6.5]]
    """
    require_block(x, attention, feed_forward, norm_1, norm_2)
    h = add(x, attention([norm_1(row) for row in x]))
    return add(h, [feed_forward(norm_2(row)) for row in h])


def post_norm_block(
    x: Matrix,
    attention: MatrixFunction,
    feed_forward: VectorFunction,
    norm_1: VectorFunction = layer_norm,
    norm_2: VectorFunction = layer_norm,
) -> Matrix:
    """Add attention and normalize the sum, then feed-forward likewise.

    The stream crosses a norm after each sum.

    Source: Vaswani et al. (2017), section 3.1.

    Args:
        x: shape (n, d), the stream: a row for each token.
        attention: from shape (n, d) to shape (n, d).
        feed_forward: from width d to width d, one token at a time.
        norm_1: from width d to width d, after attention was added.
        norm_2: from width d to width d, after feed-forward was added.

    Returns:
        Shape (n, d).

    Raises:
        ValueError: ``x`` is no matrix, one of the others cannot be called, or what attention or the
            feed-forward layer returned is no matrix of the shape of ``x``.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> post_norm_block([[1.0, 3.0]], lambda rows: rows, lambda row: [0.0, 0.5], list, list)
        [[2.0, 6.5]]
    """
    require_block(x, attention, feed_forward, norm_1, norm_2)
    h = [norm_1(row) for row in add(x, attention(x))]
    summed = add(h, [feed_forward(row) for row in h])
    return [norm_2(row) for row in summed]


def count_attention_parameters(
    d_model: int,
    heads: int = 1,
    key_value_heads: int | None = None,
    biases: bool = False,
) -> int:
    """Count the parameters of attention: four projections.

    Those of queries and of the output are square, whatever the number of heads. With fewer heads of keys and
    values than of queries, the projections of keys and values are narrower.

    Source: Vaswani et al. (2017), section 3.2.2; Ainslie et al. (2023) for fewer heads of keys and values.

    Args:
        d_model: the width of the stream, at least 1.
        heads: how many heads of queries there are; they divide ``d_model``.
        key_value_heads: how many heads of keys and values there are; they divide ``heads``, and None means as
            many.
        biases: whether each of the four projections has a bias.

    Returns:
        A count.

    Raises:
        ValueError: a number is no whole number of at least 1, one that must divide another does not, or
            ``biases`` is no ``bool``.

    Examples:
        >>> count_attention_parameters(4)
        64
        >>> count_attention_parameters(4, heads=4, key_value_heads=1)
        40
    """
    require_flag("biases", biases)
    groups = heads if key_value_heads is None else key_value_heads
    require_divisor("heads", heads, "d_model", d_model)
    require_divisor("key_value_heads", groups, "heads", heads)
    key_width = d_model // heads * groups
    count = 2 * d_model * d_model + 2 * d_model * key_width
    if biases:
        count += 2 * d_model + 2 * key_width
    return count


def require_divisor(name: str, divisor: int, whole_name: str, whole: int) -> None:
    """Refuse a number that does not divide another.

    Args:
        name: what the caller's divisor is called, for the message.
        divisor: the argument.
        whole_name: what the number to divide is called.
        whole: that number.

    Raises:
        ValueError: one of the two is no whole number of at least 1, or the division leaves a rest.
    """
    require_whole_number(whole_name, whole, smallest=1)
    require_whole_number(name, divisor, smallest=1)
    if whole % divisor:
        raise ValueError(f"{name} must divide {whole_name}, {whole}, not {divisor!r}")


def count_feed_forward_parameters(
    d_model: int,
    d_ff: int,
    gated: bool = False,
    biases: bool = True,
) -> int:
    """Count the parameters of a feed-forward layer.

    It has two projections, three if gated.

    Args:
        d_model: the width of the stream, at least 1.
        d_ff: the width inside, at least 1.
        gated: whether there is a gate.
        biases: whether each projection has a bias.

    Returns:
        A count.

    Raises:
        ValueError: a width is no whole number of at least 1, or ``gated`` or ``biases`` no ``bool``.

    Examples:
        >>> count_feed_forward_parameters(4, 16)
        148
        >>> count_feed_forward_parameters(4, 16, gated=True, biases=False)
        192
    """
    require_whole_number("d_model", d_model, smallest=1)
    require_whole_number("d_ff", d_ff, smallest=1)
    require_flag("gated", gated)
    require_flag("biases", biases)
    widening = 2 if gated else 1
    count = (widening + 1) * d_model * d_ff
    if biases:
        count += widening * d_ff + d_model
    return count


def count_parameters(d_model: int, d_ff: int) -> dict[str, int]:
    """Count the parameters of a plain block, part by part.

    Attention has no biases, the feed-forward layer has; there are two layer norms.

    Args:
        d_model: the width of the stream, at least 1.
        d_ff: the width inside the feed-forward layer, at least 1.

    Returns:
        The counts of ``"attention"``, ``"feed_forward"`` and ``"norms"``.

    Raises:
        ValueError: a width is no whole number of at least 1.

    Examples:
        >>> count_parameters(4, 16)
        {'attention': 64, 'feed_forward': 148, 'norms': 16}
    """
    return {
        "attention": count_attention_parameters(d_model),
        "feed_forward": count_feed_forward_parameters(d_model, d_ff),
        "norms": 2 * (d_model + d_model),  # a gamma and a beta each
    }
