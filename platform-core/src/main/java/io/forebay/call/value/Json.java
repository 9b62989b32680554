/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

/**
 * A JSON document as an argument. Its text is not checked; the receiver must check that it is
 * well-formed.
 */
public record Json(String text) {}
