/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/**
 * Messages that could not be decoded. Kept until they were sent again and took effect, and then as
 * long as results are.
 */
public interface DeadLetters extends Failures {}
